package cli

import (
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/session/trained"
)

// OpenData opens the data set that m was trained on, or the one that --data names, and warns if its images are not
// those that m was trained on. Its errors are those of trained.Model.OpenData.
func (c *Console) OpenData(m *trained.Model, name string) (*data.Set, error) {
	set, err := m.OpenData(name, c.DataDir)
	if err == nil && set.Note != "" {
		c.Warn(set.Note)
	}
	return set, err
}
