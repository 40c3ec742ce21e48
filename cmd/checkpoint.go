package cmd

import (
	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/run"
)

// checkpoint returns the file of the checkpoint that a reference means, and says so where that takes a word.
func (c *console) checkpoint(ref string) (path string, err error) {
	path, note, err := run.ResolveCheckpoint(ref, c.Runs)
	if err == nil && note != "" {
		c.note("%s", note)
	}
	return path, err
}

// readCheckpoint reads a checkpoint with its metadata.
func readCheckpoint(path string) (*ckpt.File, ckpt.Meta, error) {
	f, err := ckpt.Read(path)
	if err != nil {
		return nil, ckpt.Meta{}, err
	}
	meta, err := ckpt.ParseMeta(f.Meta)
	if err != nil {
		return nil, meta, &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	return f, meta, nil
}

// readNetwork reads the network of a checkpoint.
func readNetwork(path string) (*model.Network, ckpt.Meta, error) {
	f, meta, err := readCheckpoint(path)
	if err != nil {
		return nil, meta, err
	}
	net, err := model.Load(f)
	if err != nil {
		return nil, meta, &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	return net, meta, nil
}

// loaded is a network with the settings of its run.
type loaded struct {
	path   string
	net    *model.Network
	config configs.Run
	meta   ckpt.Meta
}

// readModel reads the network of a checkpoint and the settings of its run.
func readModel(path string) (m loaded, err error) {
	net, meta, err := readNetwork(path)
	if err != nil {
		return m, err
	}
	config, err := configs.Parse(path+": attnconv.config", []byte(meta.Config))
	if err != nil {
		return m, &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	return loaded{path, net, config, meta}, nil
}

// loadModel is readModel for a reference.
func loadModel(c *console, ref string) (m loaded, err error) {
	path, err := c.checkpoint(ref)
	if err != nil {
		return m, err
	}
	return readModel(path)
}
