"""What `learning.py` needs: cells, the jobs that train and measure them, and the report."""
