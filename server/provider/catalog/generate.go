package catalog

//go:generate go run ./docs
