"""A provider as generated classes are. Only what the tests use."""
