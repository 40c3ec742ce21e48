package viz

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
)

// checkSVG fails unless a figure's SVG is XML, its images are of the type that they say, and its texts are on the page
// and have no spaces that viewers drop.
func checkSVG(t *testing.T, name string, f *Figure) {
	t.Helper()
	svg, err := f.Encode("a.svg", Output{})
	if err != nil {
		t.Fatal(err)
	}
	var width, height float64
	transforms := []affine{{1, 0, 0, 1, 0, 0}} // of the open elements
	size, words := 0.0, ""                     // of the open text
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			a := map[string]string{}
			for _, one := range e.Attr {
				a[one.Name.Local] = one.Value
			}
			m := transforms[len(transforms)-1].transformed(t, a["transform"])
			switch e.Name.Local {
			case "svg":
				scan(t, a["viewBox"], "0 0 %f %f", &width, &height)
			case "image":
				if problem := wrongImage(a["href"]); problem != "" {
					t.Errorf("%s: an image %s", name, problem)
				}
				if a["preserveAspectRatio"] != "none" {
					t.Errorf("%s: an image does not fill its box", name)
				}
			case "text":
				var x, y float64
				scan(t, a["x"]+" "+a["y"], "%f %f", &x, &y)
				_, style, _ := strings.Cut(a["style"], "font-size:")
				style, _, _ = strings.Cut(style, "px")
				scan(t, style, "%f", &size)
				if size < numberSize {
					t.Errorf("%s: letters of %v points, want at least %d", name, size, numberSize)
				}
				m, words = m.times(affine{1, 0, 0, 1, x, y}), ""
			}
			transforms = append(transforms, m)
		case xml.CharData:
			words += string(e)
		case xml.EndElement:
			m := transforms[len(transforms)-1]
			if transforms = transforms[:len(transforms)-1]; e.Name.Local != "text" {
				continue
			}
			if strings.Contains(words, "  ") || strings.Trim(words, " ") != words {
				t.Errorf("%s: a viewer drops spaces of %q", name, words)
			}
			if long := length(words, size); !m.within(0, -0.5*size, width, height) ||
				!m.within(long, 0, width, height) {
				t.Errorf("%s: %q is not on the page", name, words)
			}
		}
	}
}

// wrongImage says what is wrong with a data URL of an image.
func wrongImage(url string) string {
	kind, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	b, err := base64.StdEncoding.DecodeString(data)
	switch is := http.DetectContentType(b); {
	case !ok || err != nil:
		return fmt.Sprintf("is no data: %.30s, %v", url, err)
	case is != kind:
		return "of " + is + " is called " + kind
	}
	return ""
}

// length returns the length of a text in Liberation Sans, with a tolerance for kerning.
func length(words string, size float64) float64 {
	sans := font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Length(size)}
	w, _, _ := plot.DefaultTextHandler.Box(words, sans)
	return float64(w) - 1
}

// A matrix is the map (x, y) ↦ (a·x + c·y + e, b·x + d·y + f), as SVG writes it.
type affine [6]float64

// times returns m∘n.
func (m affine) times(n affine) affine {
	return affine{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1], m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5],
	}
}

// within reports whether (x, y) is on the page.
func (m affine) within(x, y, width, height float64) bool {
	px, py := m[0]*x+m[2]*y+m[4], m[1]*x+m[3]*y+m[5]
	return px >= 0 && px <= width && py >= 0 && py <= height
}

var transformation = regexp.MustCompile(`(\w+)\(([^)]*)\)`)

// transformed returns m after an attribute transform.
func (m affine) transformed(t *testing.T, attribute string) affine {
	for _, one := range transformation.FindAllStringSubmatch(attribute, -1) {
		var x, y float64
		switch one[1] {
		case "translate":
			scan(t, one[2], "%f, %f", &x, &y)
			m = m.times(affine{1, 0, 0, 1, x, y})
		case "scale":
			scan(t, one[2], "%f, %f", &x, &y)
			m = m.times(affine{x, 0, 0, y, 0, 0})
		case "rotate":
			if one[2] != "90" {
				t.Fatalf("a rotation of %s degrees", one[2])
			}
			m = m.times(affine{0, 1, -1, 0, 0, 0})
		default:
			t.Fatalf("transform %s", one[0])
		}
	}
	return m
}

func scan(t *testing.T, text, format string, values ...any) {
	t.Helper()
	if _, err := fmt.Sscanf(text, format, values...); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
}

// The digits of 11 are as far apart as those of 10, unlike in Liberation's own kerning; letters are kerned.
func TestDigitsAreNotKerned(t *testing.T) {
	st := sans(10, nil)
	for _, pair := range []string{"11", "17", "71", "01"} {
		if got, want := st.Width(pair), st.Width("00"); got != want {
			t.Errorf("%s is %v wide, and 00 %v", pair, got, want)
		}
	}
	if st.Width("AV") >= st.Width("A")+st.Width("V") {
		t.Error("the letters of AV are not kerned")
	}
}
