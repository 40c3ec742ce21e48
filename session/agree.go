package session

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/train"
)

// agree returns a *train.DisagreementError, on every rank, unless all of them were given the same settings and the same
// images. It compares the text of config.yaml, in which every setting is, and the digest of the images.
func (s *Session) agree() error {
	if s.ranks() == 1 {
		return nil
	}
	texts, err := train.Texts(s.o.Group, s.digests()+"\n"+string(s.config.Run.YAML()))
	if err != nil {
		return err
	}
	for rank, text := range texts {
		if text != texts[0] {
			return &train.DisagreementError{What: strings.Join(differences(text, texts[0]), ", "), Rank: rank}
		}
	}
	return nil
}

// digests identifies the images and labels of all splits, whatever the set is called.
func (s *Session) digests() string {
	return fmt.Sprintf("%.12s, %.12s, %.12s", s.images.Train, s.images.Val, s.images.Test)
}

// differences says in which settings, with both values, the text of agree of a rank differs from that of rank 0.
func differences(text, first string) (all []string) {
	images, settings, _ := strings.Cut(text, "\n")
	imagesFirst, settingsFirst, _ := strings.Cut(first, "\n")
	if images != imagesFirst {
		all = append(all, fmt.Sprintf("the images (digests %s, and on rank 0 %s)", images, imagesFirst))
	}
	r, err := configs.Parse("", []byte(settings))
	base, errFirst := configs.Parse("", []byte(settingsFirst))
	if err != nil || errFirst != nil || settings != settingsFirst && len(r.Unlike(base)) == 0 {
		return append(all, "the settings")
	}
	values := base.Texts()
	for _, v := range r.Unlike(base) {
		all = append(all, fmt.Sprintf("%s (%s, and on rank 0 %s)", v.Key, v.Text, values[v.Key]))
	}
	return all
}
