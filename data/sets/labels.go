package sets

import (
	"bytes"
	"encoding/csv"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/attnconv/attnconv/internal/foreign"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/internal/visible"
)

// mostLabelBytes is the largest file of labels, a million of them.
const mostLabelBytes = 1 << 26

// labelColumns are what a table of pictures calls the column of their classes, in small letters only.
var labelColumns = strings.Fields("label labels class classes classname classid categoryname category target breed " +
	"species diagnosis level emotion")

// isLabelColumn reports whether the head of a column, such as Class_ID, names classes.
func isLabelColumn(head string) bool {
	return slices.Contains(labelColumns, strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(head)))
}

// tablesOf lists the files whose names contain the name of a split. A part of -1 lists those that name no split.
func tablesOf(files []string, part int) (list []string) {
	for _, name := range files {
		if partOf(splitWords(filepath.Base(name))...) == part {
			list = append(list, name)
		}
	}
	return list
}

// A labeling is what a file says of the classes of pictures.
type labeling struct {
	file   string
	labels map[string]string // class by the name of the picture
	extra  int               // rows of pictures that are not there
}

// assignLabels takes the pictures in and below b whose classes a file says: one in b, else one around it; else their
// names. It reports whether there is any.
func (s *survey) assignLabels(part int, b *branch, around []string) (labeled bool, err error) {
	pictures := b.all()
	var own []string
	for _, name := range b.others {
		if mayLabel(name) {
			own = append(own, name)
		}
	}
	var l *labeling
	for _, from := range []struct {
		files  []string
		byPath bool
	}{{own, false}, {tablesOf(around, part), false}, {tablesOf(around, -1), part != trainPart}} {
		if l == nil && err == nil {
			l, err = s.readLabels(b, pictures, from.files, from.byPath)
		}
	}
	switch {
	case err != nil:
		return false, err
	case l != nil:
		s.Read = append(s.Read, l.file)
		s.note("classes are from %s", l.file)
		if l.extra > 0 {
			s.note("%s also has rows of %s without a file", l.file, table.Count(l.extra, "picture"))
		}
	default:
		if l = labelsOfNames(pictures); l == nil {
			return false, nil
		}
		s.note("classes are from the names of the pictures: %s is of %s", filepath.Base(pictures[0]),
			l.labels[pictures[0]])
	}
	return true, s.assignLabeled(part, b, pictures, l)
}

// assignLabeled takes the pictures with a label.
func (s *survey) assignLabeled(part int, b *branch, pictures []string, l *labeling) error {
	if s.classes == nil {
		for _, label := range l.labels {
			s.classes = append(s.classes, label)
		}
		slices.Sort(s.classes)
		s.classes = slices.Compact(s.classes)
	}
	for _, name := range pictures {
		label, ok := l.labels[name]
		if !ok {
			s.Leave("picture", name, "no class in "+l.file, "")
			continue
		}
		i, known := slices.BinarySearch(s.classes, label)
		if !known {
			return corrupt(filepath.Join(s.root, name), nil, "its class %q has no training images", label)
		}
		s.take(part, name, i)
	}
	s.leaveAll(b)
	return s.checkPart(part)
}

// readLabels reads the one of the files that names pictures of b, if there is one: by their paths from the file, or if
// not byPath also by their paths in b, or their last names with or without ending.
func (s *survey) readLabels(b *branch, pictures, files []string, byPath bool) (found *labeling, err error) {
	for _, file := range files {
		names := map[string]string{} // of the pictures, by what a table may call them; "" by what names several
		for _, name := range pictures {
			outside, _ := filepath.Rel(filepath.Dir(file), name)
			calls := []string{filepath.ToSlash(outside)}
			if !byPath {
				inside, _ := filepath.Rel(b.name, name)
				base := filepath.Base(name)
				calls = append(calls, filepath.ToSlash(inside), base, strings.TrimSuffix(base, filepath.Ext(base)))
			}
			for _, call := range calls {
				if other, twice := names[call]; twice && other != name {
					names[call] = ""
				} else {
					names[call] = name
				}
			}
		}
		l, err := s.readTable(file, names)
		if err != nil {
			return nil, err
		}
		if l != nil && found != nil {
			return nil, corrupt(s.root, nil, "both %s and %s say the classes of its pictures: want one of them",
				visible.Word(found.file), visible.Word(file))
		}
		if l != nil {
			found = l
		}
	}
	return found, nil
}

// readTable reads a table whose rows have the name of a picture and its class; nil if it is none.
func (s *survey) readTable(file string, names map[string]string) (*labeling, error) {
	path := filepath.Join(s.root, file)
	b, err := foreign.ReadFile(path, mostLabelBytes)
	if err != nil {
		return nil, unreadable(path, err)
	}
	rows, err := tableRows(b)
	if err != nil && filepath.Ext(file) != ".txt" {
		return nil, corrupt(path, err, "want a table")
	}
	id := nameColumn(rows, names)
	if err != nil || id < 0 {
		return nil, nil // it is left like any other file
	}
	column := labelColumn(rows[0], id, names)
	if column < 0 {
		if len(rows[0]) == 1 {
			return nil, nil // a list of names
		}
		return nil, corrupt(path, nil, "it has %d columns, and none is called label or class: give the column of the "+
			"classes that name", len(rows[0]))
	}
	first := 1
	if names[rows[0][id]] == "" {
		first, rows = 2, rows[1:] // the head
	}
	l := &labeling{file: file, labels: map[string]string{}}
	for i, row := range rows {
		if max(id, column) >= len(row) {
			continue
		}
		name, label := names[row[id]], row[column]
		switch before, twice := l.labels[name]; {
		case name == "":
			l.extra++
		case twice && before != label:
			return nil, corrupt(path, nil, "row %d: %s is %q, and %q in a row before: want one class", i+first,
				visible.Word(row[id]), label, before)
		case label != "":
			l.labels[name] = label
		}
	}
	return l, nil
}

// nameColumn is the column of a table that has the most names of pictures, or -1.
func nameColumn(rows [][]string, names map[string]string) int {
	id, most := -1, 0
	if len(rows) == 0 {
		return -1
	}
	for column := range rows[0] {
		n := 0
		for _, row := range rows {
			if column < len(row) && names[row[column]] != "" {
				n++
			}
		}
		if n > most && !isLabelColumn(rows[0][column]) {
			id, most = column, n
		}
	}
	return id
}

// labelColumn is the column of classes in a table whose column id has the names of pictures, or -1.
func labelColumn(head []string, id int, names map[string]string) int {
	headless := names[head[id]] != ""
	for i, name := range head {
		if !headless && i != id && isLabelColumn(name) {
			return i
		}
	}
	switch {
	case len(head) == 2:
		return 1 - id
	case headless && id+1 < len(head):
		return id + 1
	}
	return -1
}

// tableRows are the cells of a text whose lines are divided by commas, semicolons, tabs or, in a text without these, by
// spaces. Cells are trimmed.
func tableRows(b []byte) (rows [][]string, err error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	line, _, _ := bytes.Cut(b, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(b))
	in.FieldsPerRecord, in.Comma = -1, ' '
	for _, comma := range ";,\t" {
		if bytes.ContainsRune(line, comma) {
			in.Comma = comma
		}
	}
	in.TrimLeadingSpace = in.Comma == ',' || in.Comma == ';'
	for {
		row, err := in.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
}

// namedByClass is the name of a picture that begins with its class: cat.0.png.
var namedByClass = regexp.MustCompile(`^(\pL[^.]*)\.[0-9]+\.[A-Za-z]+$`)

// labelsOfNames are the classes in the names of pictures, if all have one and there are two or more, each of several
// pictures.
func labelsOfNames(pictures []string) *labeling {
	l := &labeling{labels: map[string]string{}}
	counts := map[string]int{}
	for _, name := range pictures {
		m := namedByClass.FindStringSubmatch(filepath.Base(name))
		if m == nil {
			return nil
		}
		l.labels[name] = m[1]
		counts[m[1]]++
	}
	for _, n := range counts {
		if n < 2 || len(counts) < 2 {
			return nil
		}
	}
	if len(counts) == 0 {
		return nil
	}
	return l
}
