module berglite.test/sqlcatalog

go 1.25.9

require (
	github.com/apache/arrow-go/v18 v18.8.0
	github.com/apache/iceberg-go v0.7.0
	github.com/uptrace/bun/driver/sqliteshim v1.2.18
)
