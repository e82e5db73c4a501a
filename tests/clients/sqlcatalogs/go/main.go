// The SQL catalog of iceberg-go, told what to do by the tests.
//
//	sqlcatalog FILE CATALOG WAREHOUSE serve
//	sqlcatalog FILE CATALOG WAREHOUSE NAME write SECONDS TABLE...
//
// `serve` takes a request as a line of JSON on stdin and answers it by a line on stdout, either
// {"value": ...} or {"error": kind, "message": ...}. `write` commits to the tables, of the
// namespace `shared`, and prints how many of its commits to each were acknowledged.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	sqlcatalog "github.com/apache/iceberg-go/catalog/sql"
	"github.com/apache/iceberg-go/table"
	"github.com/uptrace/bun/driver/sqliteshim"
)

type request struct {
	Do         string
	Name       []string // of a namespace or a table
	To         []string
	Properties map[string]string
	IDs        []int64
}

type session struct {
	catalog *sqlcatalog.Catalog
	held    *table.Transaction // what `hold` has prepared, for `release`
}

var kinds = []struct {
	name string
	err  error
}{
	{"no such namespace", catalog.ErrNoSuchNamespace},
	{"no such table", catalog.ErrNoSuchTable},
	{"namespace exists", catalog.ErrNamespaceAlreadyExists},
	{"namespace not empty", catalog.ErrNamespaceNotEmpty},
	{"table exists", catalog.ErrTableAlreadyExists},
	{"view exists", catalog.ErrViewAlreadyExists},
	{"conflict", table.ErrCommitFailed},
}

func kindOf(err error) string {
	for _, kind := range kinds {
		if errors.Is(err, kind.err) {
			return kind.name
		}
	}
	if strings.HasPrefix(strings.ToLower(err.Error()), "requirement failed") {
		return "conflict"
	}
	return "other"
}

func open(file, name, warehouse string) *sqlcatalog.Catalog {
	// A transaction that reads first and writes then would not wait for other writers, so each
	// takes the lock for writing as it begins.
	dsn := "file:" + file + "?_pragma=busy_timeout(60000)&_txlock=immediate"
	db, err := sql.Open(sqliteshim.ShimName, dsn)
	if err != nil {
		log.Fatal(err)
	}
	opened, err := sqlcatalog.NewCatalog(name, db, sqlcatalog.SQLite,
		iceberg.Properties{"warehouse": warehouse})
	if err != nil {
		log.Fatal(err)
	}
	return opened
}

func rows(ids []int64) arrow.Table {
	builder := array.NewInt64Builder(memory.DefaultAllocator)
	builder.AppendValues(ids, nil)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{builder.NewArray()}, int64(len(ids)))
	return array.NewTableFromRecords(schema, []arrow.RecordBatch{batch})
}

func idsOf(ctx context.Context, t *table.Table) ([]int64, error) {
	_, batches, err := t.Scan(table.WithSelectedFields("id")).ToArrowRecords(ctx)
	if err != nil {
		return nil, err
	}
	ids := []int64{}
	for batch, err := range batches {
		if err != nil {
			return nil, err
		}
		ids = append(ids, batch.Column(0).(*array.Int64).Int64Values()...)
	}
	return ids, nil
}

func (s *session) createTable(ctx context.Context, r request) error {
	schema := iceberg.NewSchema(0, iceberg.NestedField{
		ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64})
	_, err := s.catalog.CreateTable(ctx, r.Name, schema, catalog.WithProperties(r.Properties))
	return err
}

func (s *session) listTables(ctx context.Context, r request) ([][]string, error) {
	names := [][]string{}
	for name, err := range s.catalog.ListTables(ctx, r.Name) {
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (s *session) onTable(ctx context.Context, r request) (any, error) {
	loaded, err := s.catalog.LoadTable(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	switch r.Do {
	case "load table":
		return map[string]any{"location": loaded.MetadataLocation(),
			"properties": loaded.Properties(), "uuid": loaded.Metadata().TableUUID()}, nil
	case "ids":
		return idsOf(ctx, loaded)
	case "append":
		_, err = loaded.AppendTable(ctx, rows(r.IDs), int64(len(r.IDs)), nil)
		return nil, err
	case "hold":
		s.held = loaded.NewTransaction()
		return nil, s.held.AppendTable(ctx, rows(r.IDs), int64(len(r.IDs)), nil)
	}
	return nil, setProperties(ctx, loaded, r.Properties)
}

func setProperties(ctx context.Context, t *table.Table, properties iceberg.Properties) error {
	transaction := t.NewTransaction()
	if err := transaction.SetProperties(properties); err != nil {
		return err
	}
	_, err := transaction.Commit(ctx)
	return err
}

func (s *session) carryOut(ctx context.Context, r request) (any, error) {
	switch r.Do {
	case "create namespace":
		return nil, s.catalog.CreateNamespace(ctx, r.Name, r.Properties)
	case "list namespaces":
		return s.catalog.ListNamespaces(ctx, r.Name)
	case "load namespace":
		return s.catalog.LoadNamespaceProperties(ctx, r.Name)
	case "drop namespace":
		return nil, s.catalog.DropNamespace(ctx, r.Name)
	case "create table":
		return nil, s.createTable(ctx, r)
	case "list tables":
		return s.listTables(ctx, r)
	case "rename table":
		_, err := s.catalog.RenameTable(ctx, r.Name, r.To)
		return nil, err
	case "drop table":
		return nil, s.catalog.DropTable(ctx, r.Name)
	case "release":
		_, err := s.held.Commit(ctx)
		return nil, err
	case "load table", "ids", "append", "hold", "set properties":
		return s.onTable(ctx, r)
	}
	return nil, fmt.Errorf("unknown request %q", r.Do)
}

func serve(ctx context.Context, c *sqlcatalog.Catalog) {
	s := session{catalog: c}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r request
		answer := map[string]any{}
		value, err := any(nil), json.Unmarshal(lines.Bytes(), &r)
		if err == nil {
			value, err = s.carryOut(ctx, r)
		}
		if err != nil {
			answer["error"], answer["message"] = kindOf(err), err.Error()
		} else {
			answer["value"] = value
		}
		text, err := json.Marshal(answer)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(text))
	}
}

func write(ctx context.Context, c *sqlcatalog.Catalog, name string, seconds float64,
	tables []string) map[string]int {
	done := map[string]int{}
	chance := rand.New(rand.NewSource(5))
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	for time.Now().Before(end) {
		chosen := tables[chance.Intn(len(tables))]
		loaded, err := c.LoadTable(ctx, table.Identifier{"shared", chosen})
		if err == nil {
			err = setProperties(ctx, loaded,
				iceberg.Properties{name: strconv.Itoa(done[chosen] + 1)})
		}
		if err == nil {
			done[chosen]++
		} else if !errors.Is(err, table.ErrCommitFailed) { // another writer was faster
			log.Fatal(err)
		}
	}
	return done
}

func main() {
	ctx := context.Background()
	if len(os.Args) < 5 {
		log.Fatal("expected FILE CATALOG WAREHOUSE serve, or NAME write SECONDS TABLE...")
	}
	c := open(os.Args[1], os.Args[2], os.Args[3])
	rest := os.Args[4:]
	if strings.Join(rest, " ") == "serve" {
		serve(ctx, c)
		return
	}
	seconds, err := strconv.ParseFloat(rest[2], 64)
	if err != nil {
		log.Fatal(err)
	}
	done, err := json.Marshal(write(ctx, c, rest[0], seconds, rest[3:]))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(done))
}
