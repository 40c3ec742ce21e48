package foreign

// An Inventory says what an import took of its input, and everything that it left: Taken and the names of Left together
// are what is there.
type Inventory struct {
	Taken int    `json:"taken"` // number of pictures, or of tensors, that were read
	Left  []Rest `json:"left"`  // what was not read, by kind and reason
}

// A Rest is what an import left of its input: things of one kind, left for one reason.
type Rest struct {
	What  string   `json:"what"`         // one of them: file, folder, picture, class, tensor, object, set of weights
	Why   string   `json:"why"`          // the reason
	Do    string   `json:"do,omitempty"` // what the user can type or change, if anything
	Names []string `json:"names"`        // all of them, as the input names them
}

// Leave adds something that was not read: what it is, its name, why it was left, and what the user can do, or "".
func (v *Inventory) Leave(what, name, why, do string) {
	for i, r := range v.Left {
		if r.What == what && r.Why == why && r.Do == do {
			v.Left[i].Names = append(r.Names, name)
			return
		}
	}
	v.Left = append(v.Left, Rest{what, why, do, []string{name}})
}
