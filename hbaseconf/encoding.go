package hbaseconf

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is how the characters of a file are written as bytes.
type encoding struct {
	bom  string
	name string // "UTF-8", "UTF-16LE", "UTF-16BE", "ISO-8859-1", "US-ASCII"
}

const (
	bomUTF8    = "\xEF\xBB\xBF"
	bomUTF16LE = "\xFF\xFE"
	bomUTF16BE = "\xFE\xFF"
)

var declaredEncoding = regexp.MustCompile(`^<\?xml[\x00-\x20][^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// decode turns the bytes of an XML file into text as XML parsers do: byte order
// mark first, then zero bytes, then the declaration. The text never holds the
// byte order mark.
func decode(data string) (string, encoding, error) {
	var enc encoding
	switch {
	case strings.HasPrefix(data, bomUTF8):
		enc = encoding{bomUTF8, "UTF-8"}
	case strings.HasPrefix(data, bomUTF16LE):
		enc = encoding{bomUTF16LE, "UTF-16LE"}
	case strings.HasPrefix(data, bomUTF16BE):
		enc = encoding{bomUTF16BE, "UTF-16BE"}
	case strings.HasPrefix(data, "<\x00"):
		enc.name = "UTF-16LE"
	case strings.HasPrefix(data, "\x00<"):
		enc.name = "UTF-16BE"
	}
	body := data[len(enc.bom):]
	if strings.HasPrefix(enc.name, "UTF-16") {
		text, err := decodeUTF16([]byte(body), enc.order())
		if err != nil {
			return "", enc, err
		}
		if declared := declaredIn(text); declared != "" && !strings.HasPrefix(lettersOf(declared), "utf16") {
			return "", enc, fmt.Errorf("declares the encoding %s but is written in UTF-16; correct the first line", declared)
		}
		return text, enc, nil
	}
	declared := declaredIn(body[:min(len(body), 200)])
	switch lettersOf(declared) {
	case "", "utf8":
		enc.name = "UTF-8"
	case "iso88591", "latin1":
		enc.name = "ISO-8859-1"
	case "usascii", "ascii":
		enc.name = "US-ASCII"
	default:
		if strings.HasPrefix(lettersOf(declared), "utf16") {
			return "", enc, fmt.Errorf("declares the encoding %s but is not written in it; correct the first line", declared)
		}
		return "", enc, fmt.Errorf("is in the encoding %s, which is not supported; convert it to UTF-8: iconv -f %s -t UTF-8", declared, declared)
	}
	if enc.name == "ISO-8859-1" {
		return decodeLatin1(body), enc, nil
	}
	if enc.name == "US-ASCII" {
		for i := range len(body) {
			if b := body[i]; b >= utf8.RuneSelf {
				return "", enc, fmt.Errorf("line %d holds a byte (0x%02X) that is not US-ASCII, which the first line declares", lineOf(body, i), b)
			}
		}
	}
	if at := invalidAt(body); at >= 0 {
		return "", enc, fmt.Errorf("line %d holds a byte (0x%02X) that is not UTF-8; save the file as UTF-8 or declare its encoding in the first line", lineOf(body, at), body[at])
	}
	return body, enc, nil
}

func declaredIn(head string) string {
	m := declaredEncoding.FindStringSubmatch(head)
	if m == nil {
		return ""
	}
	return m[1]
}

// encode is the inverse of decode. A character that the encoding lacks must
// have been written as a reference before.
func (enc encoding) encode(text string) []byte {
	out := make([]byte, 0, len(enc.bom)+len(text))
	out = append(out, enc.bom...)
	switch enc.name {
	case "UTF-16LE", "UTF-16BE":
		for _, unit := range utf16.Encode([]rune(text)) {
			out = enc.order().AppendUint16(out, unit)
		}
		return out
	case "ISO-8859-1":
		for _, r := range text {
			out = append(out, byte(r))
		}
		return out
	}
	return append(out, text...)
}

// has reports whether the encoding can write a character.
func (enc encoding) has(r rune) bool {
	switch enc.name {
	case "ISO-8859-1":
		return r < 0x100
	case "US-ASCII":
		return r < 0x80
	}
	return true
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func (enc encoding) order() byteOrder {
	if enc.name == "UTF-16LE" {
		return binary.LittleEndian
	}
	return binary.BigEndian
}

func decodeUTF16(body []byte, order binary.ByteOrder) (string, error) {
	if len(body)%2 != 0 {
		return "", fmt.Errorf("is UTF-16 with half a character at its end")
	}
	units := make([]uint16, len(body)/2)
	for i := range units {
		units[i] = order.Uint16(body[2*i:])
	}
	var b strings.Builder
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if utf16.IsSurrogate(r) {
			if i+1 == len(units) || utf16.DecodeRune(r, rune(units[i+1])) == utf8.RuneError {
				return "", fmt.Errorf("is UTF-16 with half a surrogate pair at byte %d", 2*i)
			}
			r = utf16.DecodeRune(r, rune(units[i+1]))
			i++
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}

func decodeLatin1(body string) string {
	var b strings.Builder
	for i := range len(body) {
		b.WriteRune(rune(body[i]))
	}
	return b.String()
}

// invalidAt finds the first byte that is not UTF-8, or begins U+FFFE or U+FFFF,
// which are no characters; -1 if there is none.
func invalidAt(body string) int {
	if utf8.ValidString(body) && !strings.Contains(body, "\xEF\xBF\xBE") && !strings.Contains(body, "\xEF\xBF\xBF") {
		return -1
	}
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRuneInString(body[i:])
		if r == utf8.RuneError && size == 1 || r == 0xFFFE || r == 0xFFFF {
			return i
		}
		i += size
	}
	return -1
}

func lineOf(body string, at int) int { return 1 + strings.Count(body[:at], "\n") }
