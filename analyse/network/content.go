package network

import (
	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/table"
	"github.com/attnconv/attnconv/null"
)

// contents are the parts of E‖L_X‖² of layers whose attention depends on the image X. Shares are of their mean only.
var contents = measure{
	layer:    measureContent,
	baseline: measureContent,
	compare:  func(_ *measurement, l *Layer, draws []Layer) { next(l, draws, contentTests) },
	sentence: func(l Layer) string { return l.Content.sentence() },
	columns: []column{
		plain("content_share", contentShareOf),
		plain("null_content_share", func(l Layer) null.Float { return bandOr(contentNull(l)).Mean }),
		plain("all_within3", ofContent(func(c *LayerContent) null.Float { return c.Within3.Value })),
		plain("all_place", ofContent(func(c *LayerContent) null.Float { return c.Place.Value })),
	},
	screen: []column{bracketed("content", contentShareOf, contentNull).with(words("content   percent of the squared " +
		"norm, a mean over images, that depends on the image; the other percentages are of the rest; in brackets at " +
		"init"))},
	tables: contentTables,
}

// LayerContent are the parts of E‖L_X‖² of a layer whose attention depends on the image, for all images, of which those
// that were read are a sample. A part may be below 0 if these are few.
type LayerContent struct {
	Share   NullTest        `json:"share"`   // that depends on the image
	Within3 NullTest        `json:"within3"` // that is one 3 × 3 convolution
	Place   NullTest        `json:"place"`   // that depends on the place, and not on the image
	Parts   analyse.Content `json:"parts"`   // all of them, and those of the sample as it is
}

func contentTests(l Layer) []*NullTest {
	if c := l.Content; c != nil {
		return []*NullTest{&c.Share, &c.Within3, &c.Place}
	}
	return nil
}

func measureContent(s *site, l *Layer) error {
	if s.seen == nil || s.seen.Images < 2 {
		return nil // it does not depend on the image, as far as is known
	}
	parts, err := s.operator.Content(s.seen)
	if err != nil {
		return err
	}
	of := parts.Unbiased
	l.Content = &LayerContent{Parts: parts}
	for i, v := range []float64{of.Content, of.Mean.Within(3), of.Mean.Place} {
		contentTests(*l)[i].Value = null.Float(v)
	}
	return nil
}

var (
	ofContent      = partOf(func(l Layer) *LayerContent { return l.Content })
	contentShareOf = ofContent(func(c *LayerContent) null.Float { return c.Share.Value })
)

// contentNull is the content of untrained layers; nil: unknown.
func contentNull(l Layer) *analyse.Band {
	if l.Content == nil {
		return nil
	}
	return l.Content.Share.Untrained
}

func (c *LayerContent) sentence() string {
	if c == nil {
		return ""
	}
	text := "on images, " + rounded(c.Share.Value, analyse.Percent).Text + " % of the squared norm depends on the image"
	if u := c.Share.Untrained; u != nil {
		text += " (untrained " + spread(*u, analyse.Percent).Text + " %)"
	}
	return text + ", " + rounded(c.Within3.Value, analyse.Percent).Text + " % is one 3 × 3 convolution and " +
		rounded(c.Place.Value, analyse.Percent).Text + " % depends on the place only"
}

// contentTables list the parts of E‖L_X‖²; none if no attention depends on the image.
func contentTables(d Analysis) []*table.Table {
	layers := layersWith(d, func(l Layer) bool { return l.Content != nil })
	if len(layers) == 0 {
		return nil
	}
	columns := []column{numbered}
	for i, head := range []string{"1×1", "3×3", "5×5", "7×7", ">7", "place"} {
		columns = append(columns, percent(head, "", ofContent(func(c *LayerContent) null.Float {
			return null.Float(c.Parts.Unbiased.Mean.List()[i])
		})))
	}
	columns = append(columns, percent("content", "", contentShareOf), percents("untrained", "", contentNull),
		percent("sample", "", ofContent(func(c *LayerContent) null.Float {
			return null.Float(c.Parts.Sample.Content)
		})))
	return []*table.Table{layerTable(layers, columns, d.Source+"   percent of each layer's squared norm, a mean over "+
		"images, that is one convolution of this size, beyond the smaller ones",
		"place      depends on the place, and not on the image",
		"content    depends on the image; untrained: the same of untrained networks; sample: of these images only, which "+
			"is too low")}
}
