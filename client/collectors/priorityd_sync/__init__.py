"""Brings accounts and users of a cluster into agreement with a directory: LDAP, SCIM or a CSV."""
