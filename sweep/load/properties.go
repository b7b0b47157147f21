package load

import (
	"fmt"
	"strconv"
	"strings"
)

// property is one line of a properties file.
type property struct {
	name, value string
	line        int
}

// parseProperties reads a Java properties file: name=value, name:value or name
// value, comments behind # or !, lines that go on behind a backslash, and
// escapes. Of a name that comes twice the last one counts.
func parseProperties(text string) ([]property, error) {
	var list []property
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		number := i + 1
		line := strings.TrimLeft(lines[i], " \t\f")
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		for goesOn(line) && i+1 < len(lines) {
			i++
			line = line[:len(line)-1] + strings.TrimLeft(lines[i], " \t\f")
		}
		name, value := splitProperty(line)
		p := property{line: number}
		var err error
		if p.name, err = unescape(name); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if p.value, err = unescape(value); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		p.value = strings.TrimRight(p.value, " \t") // what Java keeps, YCSB then stumbles over
		list = append(list, p)
	}
	return list, nil
}

// goesOn tells whether a line ends in an odd number of backslashes.
func goesOn(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// splitProperty splits at the first separator that is not escaped.
func splitProperty(line string) (name, value string) {
	at := 0
	for ; at < len(line) && !strings.ContainsRune("=: \t\f", rune(line[at])); at++ {
		if line[at] == '\\' {
			at++
		}
	}
	at = min(at, len(line))
	value = strings.TrimLeft(line[at:], " \t\f")
	if value != "" && (value[0] == '=' || value[0] == ':') {
		value = strings.TrimLeft(value[1:], " \t\f")
	}
	return line[:at], value
}

func unescape(text string) (string, error) {
	if !strings.Contains(text, `\`) {
		return text, nil
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			if text[i] != '\\' {
				b.WriteByte(text[i])
			}
			continue
		}
		i++
		switch c := text[i]; c {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			if i+5 > len(text) {
				return "", fmt.Errorf(`\u wants four hexadecimal digits`)
			}
			code, err := strconv.ParseUint(text[i+1:i+5], 16, 16)
			if err != nil {
				return "", fmt.Errorf(`\u%s: four hexadecimal digits are wanted`, text[i+1:i+5])
			}
			b.WriteRune(rune(code))
			i += 4
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}
