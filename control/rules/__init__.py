"""The rules that `control.decide` decides by: pure, standard library only."""
