package trained

// A Prediction is one classified image.
type Prediction struct {
	Image   string      `json:"image"`   // its file, or its number in the array
	Classes []ClassProb `json:"classes"` // the most likely first
	Logits  []float32   `json:"logits"`  // in the order of the data set's classes
}

// A ClassProb is the probability of one class.
type ClassProb struct {
	Class string  `json:"class"` // its name
	P     float64 `json:"p"`     // probability
}
