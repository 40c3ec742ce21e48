package analyse

import (
	"fmt"
	"slices"
	"strings"
)

// String says in words what the heads of each profile do: "two profiles: seven heads form a 3 × 3 kernel without two of
// its corners, two heads average globally".
func (d Profiles) String() string {
	const most = 3 // groups that are told one by one
	var parts []string
	var global, single, rest []ProfileGroup
	for _, g := range d.Groups {
		switch {
		case g.global():
			global = append(global, g)
		case len(g.Heads) == 1:
			single = append(single, g)
		case len(parts) < most:
			parts = append(parts, g.String())
		default:
			rest = append(rest, g)
		}
	}
	if len(rest) > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s more, %s", counted(headsOf(rest), "head"),
			counted(len(rest), "profile"), widths(rest)))
	}
	switch n := headsOf(global); {
	case len(global) == 1:
		parts = append(parts, global[0].String())
	case len(global) > 1:
		parts = append(parts, fmt.Sprintf("%s of %s average globally", counted(n, "head"),
			counted(len(global), "profile")))
	}
	switch {
	case len(single) == 0:
	case len(single) == len(d.Widths) && len(single) > 1:
		parts = append(parts, "one for each head, "+widths(single))
	case len(single) <= 2:
		for _, g := range single {
			parts = append(parts, g.String())
		}
	default:
		parts = append(parts, counted(len(single), "head")+" of a profile each, "+widths(single))
	}
	head := counted(d.Count, "profile")
	if d.AtMost && d.Count > 1 {
		head = "at most " + head
	}
	between := ", "
	if slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(part, ",") }) {
		between = "; "
	}
	return head + ": " + strings.Join(parts, between)
}

func headsOf(groups []ProfileGroup) (n int) {
	for _, g := range groups {
		n += len(g.Heads)
	}
	return n
}

// widths is the range of the groups' widths.
func widths(groups []ProfileGroup) string {
	narrow, wide := groups[0].Width, groups[0].Width
	for _, g := range groups {
		narrow, wide = min(narrow, g.Width), max(wide, g.Width)
	}
	return length(narrow) + " to " + length(wide) + " tokens wide"
}

// String says in words what the heads of one profile do.
func (g ProfileGroup) String() string {
	text := counted(len(g.Heads), "head")
	switch {
	case g.global() && len(g.Heads) == 1:
		return text + " averages globally"
	case g.global():
		return text + " average globally"
	case g.Lattice == nil:
		var at []string
		for _, c := range g.Centers {
			at = append(at, shiftText(c))
		}
		return text + " at " + strings.Join(at, " ") + g.wide()
	case len(g.Lattice.Off) > 0:
		text += " at centers off a lattice"
		if on := len(g.Heads) - len(g.Lattice.Off); on > 0 {
			text += " except for " + number(on)
		}
		return text + g.wide()
	}
	return text + g.Lattice.words(len(g.Heads)) + g.Lattice.without() + g.wide()
}

// wide says how wide the heads are, unless they are taps.
func (g ProfileGroup) wide() string {
	if g.Width < 0.05 {
		return ""
	}
	return ", " + length(g.Width) + " wide"
}

// words says what heads form whose centers are all on the lattice.
func (l Lattice) words(heads int) (text string) {
	switch shifts := len(l.points); {
	case shifts == 1:
		return " at one shift, " + shiftText(l.Shifts[0])
	case shifts < heads:
		text = fmt.Sprintf(" at %s shifts", number(shifts))
	}
	if !l.Kernel() {
		return fmt.Sprintf("%s scattered over %d × %d shifts", text, l.Sides[0], l.Sides[1])
	}
	text += fmt.Sprintf(" form a %d × %d kernel", l.Sides[0], l.Sides[1])
	if l.Spacing > 1 {
		text += fmt.Sprintf(" dilated by %d", l.Spacing)
	}
	return text
}

// without says which shifts of the rectangle no head has.
func (l Lattice) without() string {
	missing, corners := len(l.Missing), l.missingCorners()
	switch {
	case missing == 0:
		return ""
	case missing == 4 && corners == 4:
		return " without its corners"
	case missing == corners && missing > 1:
		return fmt.Sprintf(" without %s of its corners", number(corners))
	case missing == 1:
		return " without " + shiftText(l.Missing[0])
	default:
		return fmt.Sprintf(" without %s of its %d shifts", number(missing), l.Sides[0]*l.Sides[1])
	}
}

// missingCorners counts the corners of the rectangle that no head has.
func (l Lattice) missingCorners() (n int) {
	least, most := l.corners()
	for _, at := range [][2]int{least, {least[0], most[1]}, {most[0], least[1]}, most} {
		n += btoi(!slices.Contains(l.points, at))
	}
	return n
}

func shiftText(at [2]float64) string { return fmt.Sprintf("(%s, %s)", length(at[0]), length(at[1])) }

// length formats a length with one digit behind the point, and a whole one without.
func length(x float64) string {
	return strings.TrimSuffix(strings.Replace(fmt.Sprintf("%.1f", x), "-0.0", "0.0", 1), ".0")
}

// number is a whole number in words up to nine.
func number(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return number(n) + " " + what
}
