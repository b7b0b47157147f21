package wire

// Attribute is one name and value of a table's or a family's descriptor.
type Attribute struct{ Name, Value string }

// FamilySchema describes a column family.
type FamilySchema struct {
	Name          string
	Attributes    []Attribute // VERSIONS, BLOCKSIZE, BLOOMFILTER, …
	Configuration []Attribute // hbase.* properties for this family
}

// TableSchema describes a table. Attributes hold MAX_FILESIZE and the like and
// any hbase.* property that is to differ for this table.
type TableSchema struct {
	Name          string
	Attributes    []Attribute
	Families      []FamilySchema
	Configuration []Attribute
}

// appendAttributes serves BytesBytesPair and NameStringPair: both are a name in
// field 1 and a value in field 2.
func appendAttributes(b []byte, num number, attributes []Attribute) []byte {
	for _, a := range attributes {
		var mark int
		b, mark = begin(b, num)
		b = appendString(b, 1, a.Name)
		b = appendString(b, 2, a.Value)
		b = end(b, mark)
	}
	return b
}

func parseAttribute(msg []byte) (Attribute, error) {
	var a Attribute
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			a.Name = f.string()
		case 2:
			a.Value = f.string()
		}
	}
	return a, f.err
}

func (s *FamilySchema) append(b []byte) []byte {
	b = appendString(b, 1, s.Name)
	b = appendAttributes(b, 2, s.Attributes)
	return appendAttributes(b, 3, s.Configuration)
}

func (s *FamilySchema) parse(msg []byte) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			s.Name = f.string()
		case 2, 3:
			a, err := parseAttribute(f.bytes())
			if err != nil {
				return err
			}
			if f.num == 2 {
				s.Attributes = append(s.Attributes, a)
			} else {
				s.Configuration = append(s.Configuration, a)
			}
		}
	}
	return f.err
}

func (s *TableSchema) append(b []byte) []byte {
	b = appendTable(b, 1, s.Name)
	b = appendAttributes(b, 2, s.Attributes)
	for i := range s.Families {
		var mark int
		b, mark = begin(b, 3)
		b = end(s.Families[i].append(b), mark)
	}
	return appendAttributes(b, 4, s.Configuration)
}

func (s *TableSchema) parse(msg []byte) error {
	f := fieldsOf(msg)
	for f.next() {
		switch f.num {
		case 1:
			name, err := parseTableName(f.bytes())
			if err != nil {
				return err
			}
			s.Name = name
		case 2, 4:
			a, err := parseAttribute(f.bytes())
			if err != nil {
				return err
			}
			if f.num == 2 {
				s.Attributes = append(s.Attributes, a)
			} else {
				s.Configuration = append(s.Configuration, a)
			}
		case 3:
			var family FamilySchema
			if err := family.parse(f.bytes()); err != nil {
				return err
			}
			s.Families = append(s.Families, family)
		}
	}
	return f.err
}

// AppendCreateTable appends the parameter of CreateTable.
func AppendCreateTable(b []byte, schema *TableSchema, splitKeys [][]byte, nonce Nonce) []byte {
	b, param := beginPrefixed(b)
	b, mark := begin(b, 1)
	b = end(schema.append(b), mark)
	for _, key := range splitKeys {
		b = appendBytes(b, 2, key)
	}
	return end(nonce.append(b, 3), param)
}

// AppendModifyTable appends the parameter of ModifyTable, which replaces the
// whole descriptor and reopens the table's regions.
func AppendModifyTable(b []byte, schema *TableSchema, nonce Nonce) []byte {
	b, param := beginPrefixed(b)
	b = appendTable(b, 1, schema.Name)
	b, mark := begin(b, 2)
	b = end(schema.append(b), mark)
	return end(nonce.append(b, 3), param)
}

// ParseTableSchemas reads the answer to GetTableDescriptors.
func ParseTableSchemas(reply Reply) ([]TableSchema, error) {
	var schemas []TableSchema
	f := fieldsOf(reply.Message)
	for f.next() {
		if f.num == 1 {
			var s TableSchema
			if err := s.parse(f.bytes()); err != nil {
				return nil, err
			}
			schemas = append(schemas, s)
		}
	}
	return schemas, f.err
}
