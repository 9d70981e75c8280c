// Permits the functions without a body in kueue.go, which are Kueue's.
