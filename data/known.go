package data

import "path/filepath"

// Auto is the set that auto means in the data folder dir. It opens nothing.
func Auto(dir string) string {
	if _, err := cifar10Forms.find(dir); err == nil {
		return cifar10.name
	}
	return "shapes32"
}

// ClassNames returns what the labels of the set called name mean, without reading an image; dir is the data folder. It
// is nil for a set that is not there and not known by its name.
func ClassNames(name, dir string) []string {
	if name == "auto" {
		name = Auto(dir)
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
