package run

import (
	"encoding/json"
	"fmt"
)

// Images are what a run knows of the images that it was trained on: enough to tell whether others are the same.
type Images struct {
	Classes []string  `json:"classes"`       // names, in the order of the labels
	Shape   [3]int    `json:"shape"`         // rows, columns, channels
	Mean    []float32 `json:"mean"`          // of each channel, which is subtracted from values in 0..1
	Std     []float32 `json:"std"`           // of each channel, by which values are divided then
	Train   string    `json:"train"`         // SHA-256 over labels and values of the set's training images
	Val     string    `json:"val,omitempty"` // of its own validation images; omitted: it has none
	Test    string    `json:"test"`          // of its test images
}

// Text is the form that a checkpoint keeps; "" of nil.
func (i *Images) Text() string {
	if i == nil {
		return ""
	}
	b, err := json.Marshal(i)
	if err != nil {
		panic(err) // unreachable: means and deviations are finite
	}
	return string(b)
}

// ParseImages is the inverse of Text. It returns nil for "", of a checkpoint that does not know its images.
func ParseImages(text string) (*Images, error) {
	if text == "" {
		return nil, nil
	}
	var i Images
	if err := json.Unmarshal([]byte(text), &i); err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	if n := i.Shape[2]; len(i.Classes) == 0 || n < 1 || len(i.Mean) != n || len(i.Std) != n {
		return nil, fmt.Errorf("images: %d classes, %d means and %d deviations of %d channels: want classes, and one of "+
			"each for each channel", len(i.Classes), len(i.Mean), len(i.Std), n)
	}
	for c, std := range i.Std {
		if !(std > 0) {
			return nil, fmt.Errorf("images: the deviation of channel %d is %v: want one above 0", c+1, std)
		}
	}
	return &i, nil
}
