package configs

import "github.com/attnconv/attnconv/data/sets"

// Check reports wrong settings before any data is opened; dataDir is the folder of data sets. The preset depends on the
// data, so settings are wrong if they are wrong with every data set; the error is that with the set which auto would
// choose.
func (s Sources) Check(dataDir string) (err error) {
	for _, guess := range append([]string{sets.Auto(dataDir)}, sets.Kinds.Find("auto").First...) {
		_, wrong := Resolve(s, locateIn(guess, dataDir))
		if wrong == nil {
			return nil
		}
		if err == nil {
			err = wrong
		}
	}
	return err
}

// Locator returns what Resolve takes to find data sets in the folder dataDir. It opens none: auto is the set that
// sets.Auto names, and the error is that of sets.Known.
func Locator(dataDir string) func(name string) (string, error) {
	return locateIn(sets.Auto(dataDir), dataDir)
}

// locateIn is Locator with the set that auto means.
func locateIn(auto, dataDir string) func(name string) (string, error) {
	return func(name string) (string, error) {
		if name == "auto" {
			return auto, nil
		}
		return name, sets.Known(name, dataDir)
	}
}
