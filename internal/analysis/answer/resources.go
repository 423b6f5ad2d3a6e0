package answer

// Resources are resources of a control plane, and the configuration to take them over.
type Resources struct {
	Resources     []ListedResource  `json:"resources"`
	Configuration *string           `json:"configuration"`
	Files         map[string]string `json:"files,omitzero"`
	StageTwo      *string           `json:"stage_two"`
	UpgradeReport string            `json:"upgrade_report,omitzero"`
}

// ListedResource is one of them.
type ListedResource struct {
	Type         string            `json:"type"`
	Mesh         string            `json:"mesh,omitzero"`
	Name         string            `json:"name"`
	Labels       map[string]string `json:"labels"`
	KRI          string            `json:"kri,omitzero"`
	ManagedBy    string            `json:"managed_by,omitzero"`
	ResourceType string            `json:"resource_type"`
	ImportID     string            `json:"import_id"`
	Identity     map[string]string `json:"identity"`
	Document     string            `json:"document"`
	Status       string            `json:"status,omitzero"`
	SNIs         string            `json:"snis,omitzero"`
}
