package main

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mathML turns a formula in TeX into MathML, which browsers draw without a font or a script from elsewhere. It knows
// the commands in symbols and in command, and refuses others.
func mathML(tex string, block bool) (string, error) {
	p := &texParser{rest: strings.TrimSpace(tex)}
	body, err := p.row("")
	if err != nil {
		return "", fmt.Errorf("formula %q: %w", tex, err)
	}
	display := ""
	if block {
		display = ` display="block"`
	}
	return fmt.Sprintf(`<math%s><semantics><mrow>%s</mrow><annotation encoding="application/x-tex">%s</annotation>`+
		`</semantics></math>`, display, body, html.EscapeString(strings.TrimSpace(tex))), nil
}

// symbols are commands that stand for one sign.
var symbols = map[string]string{
	`\alpha`: "<mi>α</mi>", `\delta`: "<mi>δ</mi>", `\Delta`: "<mi>Δ</mi>", `\sum`: "<mo>∑</mo>", `\cdot`: "<mo>·</mo>",
	`\top`: "<mi>⊤</mi>", `\times`: "<mo>×</mo>", `\le`: "<mo>≤</mo>", `\ge`: "<mo>≥</mo>", `\to`: "<mo>→</mo>",
	`\Pi`: "<mi>Π</mi>", `\min`: "<mi>min</mi>", `\infty`: "<mi>∞</mi>", `\ldots`: "<mo>…</mo>", `\lVert`: "<mo>‖</mo>", `\rVert`: "<mo>‖</mo>",
	`\,`: `<mspace width="0.17em"/>`, `\;`: `<mspace width="0.28em"/>`, `\!`: `<mspace width="-0.17em"/>`,
	`\quad`: `<mspace width="1em"/>`, `\qquad`: `<mspace width="2em"/>`,
}

type texParser struct{ rest string }

// next takes a token: a command, a sign, or "" at the end.
func (p *texParser) next() string {
	p.rest = strings.TrimLeft(p.rest, " \n\t")
	if p.rest == "" {
		return ""
	}
	n := utf8.RuneLen([]rune(p.rest)[0])
	if p.rest[0] == '\\' {
		n = 1
		for n < len(p.rest) && unicode.IsLetter(rune(p.rest[n])) {
			n++
		}
		n = max(n, min(2, len(p.rest))) // \, and the like
	}
	token := p.rest[:n]
	p.rest = p.rest[n:]
	return token
}

func (p *texParser) peek() string {
	copied := *p
	return copied.next()
}

// row takes what comes before the closing token; at the end of the formula that is "".
func (p *texParser) row(closing string) (string, error) {
	var b strings.Builder
	for {
		token := p.next()
		switch token {
		case closing:
			return b.String(), nil
		case "":
			return "", fmt.Errorf("want %q before its end", closing)
		case "}":
			return "", fmt.Errorf("} without {")
		}
		item, err := p.item(token)
		if err != nil {
			return "", err
		}
		if item == colorSwitch { // it holds until the end of the group
			color, err := p.raw()
			if err != nil {
				return "", err
			}
			rest, err := p.colored(color, closing)
			return b.String() + rest, err
		}
		if item, err = p.scripts(token, item); err != nil {
			return "", err
		}
		b.WriteString(item)
	}
}

// colorSwitch is what item returns for \color: what follows is colored.
const colorSwitch = "\x00color"

// colored takes the rest in a color. The style sheet may have a legible one for each theme, --tex-RRGGBB.
func (p *texParser) colored(color, closing string) (string, error) {
	if len(color) != 7 || color[0] != '#' || strings.Trim(color[1:], "0123456789abcdefABCDEF") != "" {
		return "", fmt.Errorf("color %q: want #rrggbb", color)
	}
	rest, err := p.row(closing)
	return fmt.Sprintf(`<mrow style="color:var(--tex-%s,%s)">%s</mrow>`, color[1:], color, rest), err
}

// item takes what a token begins.
func (p *texParser) item(token string) (string, error) {
	if s, ok := symbols[token]; ok {
		return s, nil
	}
	switch token {
	case "{":
		s, err := p.row("}")
		return "<mrow>" + s + "</mrow>", err
	case `\color`:
		return colorSwitch, nil
	case `\text`, `\textsf`, `\mathrm`:
		s, err := p.raw()
		return "<mtext>" + html.EscapeString(s) + "</mtext>", err
	case `\frac`:
		over, err := p.argument()
		if err != nil {
			return "", err
		}
		under, err := p.argument()
		return "<mfrac>" + over + under + "</mfrac>", err
	case `\sqrt`:
		s, err := p.argument()
		return "<msqrt>" + s + "</msqrt>", err
	case `\hat`:
		s, err := p.argument()
		return `<mover accent="true">` + s + "<mo>^</mo></mover>", err
	case `\underbrace`:
		s, err := p.argument()
		return `<munder>` + s + "<mo stretchy=\"true\">⏟</mo></munder>", err
	case "^", "_":
		return "", fmt.Errorf("%s without what it belongs to", token)
	}
	if strings.HasPrefix(token, `\`) {
		return "", fmt.Errorf("unknown command %s: add it to symbols or to item", token)
	}
	r, _ := utf8.DecodeRuneInString(token)
	switch {
	case unicode.IsDigit(r):
		for p.rest != "" && (unicode.IsDigit(rune(p.rest[0])) || p.rest[0] == '.') {
			token, p.rest = token+p.rest[:1], p.rest[1:]
		}
		return "<mn>" + token + "</mn>", nil
	case unicode.IsLetter(r):
		return "<mi>" + token + "</mi>", nil
	case token == "-":
		return "<mo>−</mo>", nil
	}
	return "<mo>" + html.EscapeString(token) + "</mo>", nil
}

// scripts adds what is below and above an item.
func (p *texParser) scripts(token, item string) (string, error) {
	below, above := "", ""
	for range 2 {
		at := p.peek()
		if at != "_" && at != "^" {
			break
		}
		p.next()
		s, err := p.argument()
		if err != nil {
			return "", err
		}
		if at == "_" {
			below = s
		} else {
			above = s
		}
	}
	under := token == `\sum` || token == `\underbrace`
	name := map[bool][3]string{true: {"munder", "mover", "munderover"}, false: {"msub", "msup", "msubsup"}}[under]
	switch {
	case below != "" && above != "":
		return fmt.Sprintf("<%s>%s%s%s</%[1]s>", name[2], item, below, above), nil
	case below != "":
		return fmt.Sprintf("<%s>%s%s</%[1]s>", name[0], item, below), nil
	case above != "":
		return fmt.Sprintf("<%s>%s%s</%[1]s>", name[1], item, above), nil
	}
	return item, nil
}

// argument takes a group or one item, as one element.
func (p *texParser) argument() (string, error) {
	token := p.next()
	if token == "" || token == "}" {
		return "", fmt.Errorf("an argument is missing")
	}
	return p.item(token)
}

// raw takes the text of a group as it is.
func (p *texParser) raw() (string, error) {
	if p.next() != "{" {
		return "", fmt.Errorf("want { before a text")
	}
	text, rest, ok := strings.Cut(p.rest, "}")
	if !ok {
		return "", fmt.Errorf("want } after a text")
	}
	p.rest = rest
	return text, nil
}
