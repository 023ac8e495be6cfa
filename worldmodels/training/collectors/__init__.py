"""Collectors take steps in other processes while the learner learns."""
