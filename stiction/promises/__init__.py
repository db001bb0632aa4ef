"""Laws that every contact model obeys, and those that it promises: checked for any model."""
