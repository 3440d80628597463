"""The texts and data that scontrol, sacctmgr and --json show."""
