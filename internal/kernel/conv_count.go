package kernel

// Products counts the multiply-adds of the products that Forward computes: an image's pixels times its taps, or by
// Winograd's algorithm 36 points for each tile.
func (c Conv) Products() int {
	if c.winograd() {
		return 36 * c.tiles() * c.In * c.Out
	}
	return c.pixels() * c.Size * c.line() * c.Out
}
