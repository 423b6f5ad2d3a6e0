package provider

// What tests that run Terraform share with those that run in process.
var (
	// WriteResource writes a document as the resource block of its kind.
	WriteResource = writeResource
	// Canonical makes documents comparable that say the same.
	Canonical = canonical
)
