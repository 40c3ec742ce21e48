package configs

// SettingsReport has all settings of a run, with the origin of each.
type SettingsReport struct {
	V        int             `json:"v"`        // 1
	Settings []SettingOrigin `json:"settings"` // in the order of a configuration file
}

// A SettingOrigin is one setting, and where its value comes from.
type SettingOrigin struct {
	Key    string `json:"key"`    // such as train.lr
	Value  string `json:"value"`  // as YAML
	Origin string `json:"origin"` // flag, variable, file with line, preset or default
}
