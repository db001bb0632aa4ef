"""Motions and running simulations in the browser, through viser."""
