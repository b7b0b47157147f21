package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// envFile is the part of hbase-env.sh that a daemon's start reads.
const envFile = "hbase-env.sh"

// readEnv reads the variables that an hbase-env.sh sets. A missing file sets
// nothing.
func readEnv(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	vars, err := parseEnv(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return vars, nil
}

// parseEnv understands what hbase-env.sh files are made of: assignments, with
// or without export and quotes, that may refer to variables set above them.
// Other commands are refused by line, since ignoring them would start a server
// with other flags than the file says.
func parseEnv(text string) (map[string]string, error) {
	vars := map[string]string{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSpace(strings.TrimPrefix(line, "export "))
		name, value, found := strings.Cut(line, "=")
		if !found || !isVariable(name) {
			return nil, fmt.Errorf("line %d: only NAME=value lines are understood here", number)
		}
		value, err := unquote(value, vars)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		vars[name] = value
	}
	return vars, nil
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// unquote evaluates the right side of an assignment as a shell would, as far
// as quotes, variables and comments go.
func unquote(text string, vars map[string]string) (string, error) {
	var b strings.Builder
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case c == '`' && quote != '\'', c == '$' && quote != '\'' && strings.HasPrefix(text[i:], "$("):
			return "", errors.New("commands in values are not understood here")
		case c == '$' && quote != '\'':
			name, rest, err := variable(text[i+1:])
			if err != nil {
				return "", err
			}
			b.WriteString(vars[name])
			i = len(text) - len(rest) - 1
		case quote == 0 && (c == ' ' || c == '\t'):
			if rest := strings.TrimSpace(text[i:]); rest != "" && rest[0] != '#' {
				return "", errors.New("a value with spaces needs quotes")
			}
			return b.String(), nil
		default:
			b.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", fmt.Errorf("the quote %c is not closed", quote)
	}
	return b.String(), nil
}

// variable splits the name off what follows a dollar sign.
func variable(text string) (name, rest string, err error) {
	if inner, found := strings.CutPrefix(text, "{"); found {
		name, rest, found = strings.Cut(inner, "}")
		if !found || !isVariable(name) {
			return "", "", errors.New("only ${NAME} is understood of what a shell can do in ${}")
		}
		return name, rest, nil
	}
	end := 0
	for end < len(text) && isVariable(text[:end+1]) {
		end++
	}
	if end == 0 {
		return "", "", errors.New("a $ without a variable's name")
	}
	return text[:end], text[end:], nil
}

// javaFlags turns the variables into what HBase's own scripts would pass.
func javaFlags(vars map[string]string, r role) []string {
	var flags []string
	for _, size := range []struct{ variable, flag string }{
		{"HBASE_HEAPSIZE", "-Xmx"},
		{"HBASE_OFFHEAPSIZE", "-XX:MaxDirectMemorySize="},
	} {
		text := strings.TrimSpace(vars[size.variable])
		if text == "" {
			continue
		}
		if _, err := strconv.Atoi(text); err == nil {
			text += "m" // the scripts read a bare number as MB
		}
		flags = append(flags, size.flag+text)
	}
	options := map[role]string{
		zooKeeper: "HBASE_ZOOKEEPER_OPTS", master: "HBASE_MASTER_OPTS", regionServer: "HBASE_REGIONSERVER_OPTS",
		nameNode: "HDFS_NAMENODE_OPTS", dataNode: "HDFS_DATANODE_OPTS",
	}
	return append(flags, strings.Fields(vars["HBASE_OPTS"]+" "+vars[options[r]])...)
}
