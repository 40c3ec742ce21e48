package data

import "path/filepath"

// ClassNames returns what the labels of the set called name mean, without reading a picture; dir is the data folder. It
// is nil for a set that is not there and not known by its name.
func ClassNames(name, dir string) []string {
	if name == "auto" {
		name = "shapes32"
		if _, err := cifar10Forms.find(dir); err == nil {
			name = cifar10.name
		}
	}
	switch name {
	case cifar10.name:
		return cifar10.classes
	case cifar100.name:
		return cifar100.classes
	case "shapes32":
		names := make([]string, len(figures))
		for i, f := range figures {
			names[i] = f.name
		}
		return names
	}
	folder := name
	if checkName(name) == nil && isPacked(filepath.Join(dir, name)) {
		folder = filepath.Join(dir, name)
	}
	if isPacked(folder) {
		p, _ := readPacked(folder) // of a damaged one, there are none
		return p.Classes
	}
	root := filepath.Join(name, "train")
	if !isDir(root) {
		root = name
	}
	names, err := folders(root)
	if err != nil {
		return nil
	}
	return names
}
