"""Bruneau & Ouezdou, "Distributed ground/walking robot interaction": figures and claims."""
