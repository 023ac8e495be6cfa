"""The results of an evaluation for people and programs: tables, pictures, JSON and videos."""
