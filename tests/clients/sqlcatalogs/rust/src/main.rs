//! The SQL catalog of iceberg-rust, told what to do by the tests.
//!
//!     sqlcatalog FILE CATALOG WAREHOUSE serve
//!     sqlcatalog FILE CATALOG WAREHOUSE NAME write SECONDS TABLE...
//!
//! `serve` takes a request as a line of JSON on stdin and answers it by a line on stdout, either
//! {"value": ...} or {"error": kind, "message": ...}. `write` commits to the tables, of the
//! namespace `shared`, and prints how many of its commits to each were acknowledged.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Int64Array, RecordBatch};
use futures::TryStreamExt;
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::io::LocalFsStorageFactory;
use iceberg::spec::{DataFile, DataFileFormat, NestedField, PrimitiveType, Schema, Type};
use iceberg::table::Table;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::writer::base_writer::data_file_writer::DataFileWriterBuilder;
use iceberg::writer::file_writer::ParquetWriterBuilder;
use iceberg::writer::file_writer::location_generator::{
    DefaultFileNameGenerator, DefaultLocationGenerator,
};
use iceberg::writer::file_writer::rolling_writer::RollingFileWriterBuilder;
use iceberg::writer::{IcebergWriter, IcebergWriterBuilder};
use iceberg::{
    Catalog, CatalogBuilder, Error, ErrorKind, NamespaceIdent, Result, TableCreation, TableIdent,
};
use iceberg_catalog_sql::{SqlBindStyle, SqlCatalog, SqlCatalogBuilder};
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};

struct Session {
    catalog: SqlCatalog,
    /// How many files were named: each gets a name of its own.
    files: usize,
    /// What `hold` has prepared, for `release`.
    held: Option<Transaction>,
}

fn kind_of(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::NamespaceNotFound => "no such namespace",
        ErrorKind::TableNotFound => "no such table",
        ErrorKind::NamespaceAlreadyExists => "namespace exists",
        ErrorKind::TableAlreadyExists => "table exists",
        ErrorKind::CatalogCommitConflicts => "conflict",
        _ => "other",
    }
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items
        .map(|item| item.as_str().unwrap().to_string())
        .collect()
}

fn properties_of(request: &Value) -> HashMap<String, String> {
    let members = request["properties"].as_object().into_iter().flatten();
    members
        .map(|(key, value)| (key.clone(), value.as_str().unwrap().to_string()))
        .collect()
}

fn schema() -> Result<Schema> {
    let id = NestedField::optional(1, "id", Type::Primitive(PrimitiveType::Long));
    Schema::builder().with_fields(vec![id.into()]).build()
}

fn plain(identifier: &TableIdent) -> Vec<String> {
    let mut levels = identifier.namespace().clone().inner();
    levels.push(identifier.name().to_string());
    levels
}

async fn open(file: &str, name: &str, warehouse: &str) -> Result<SqlCatalog> {
    SqlCatalogBuilder::default()
        .with_storage_factory(Arc::new(LocalFsStorageFactory))
        .uri(format!("sqlite://{file}?mode=rwc"))
        .warehouse_location(warehouse)
        .sql_bind_style(SqlBindStyle::QMark)
        .load(name, HashMap::new())
        .await
}

async fn ids_of(table: &Table) -> Result<Vec<i64>> {
    let batches: Vec<RecordBatch> = table
        .scan()
        .select(["id"])
        .build()?
        .to_arrow()
        .await?
        .try_collect()
        .await?;
    let mut ids = vec![];
    for batch in &batches {
        let column = batch
            .column(0)
            .as_any()
            .downcast_ref::<Int64Array>()
            .unwrap();
        ids.extend(column.values().iter());
    }
    Ok(ids)
}

async fn set_properties(
    catalog: &SqlCatalog,
    table: &Table,
    properties: HashMap<String, String>,
) -> Result<()> {
    let transaction = Transaction::new(table);
    let mut action = transaction.update_table_properties();
    for (key, value) in properties {
        action = action.set(key, value);
    }
    action.apply(transaction)?.commit(catalog).await?;
    Ok(())
}

impl Session {
    /// Writes the rows as a file of `table`.
    async fn write_file(&mut self, table: &Table, request: &Value) -> Result<Vec<DataFile>> {
        let ids = request["ids"].as_array().into_iter().flatten();
        let column = Int64Array::from_iter(ids.map(|id| id.as_i64()));
        let schema = table.metadata().current_schema().clone();
        let rows = RecordBatch::try_new(
            Arc::new(schema_to_arrow_schema(&schema)?),
            vec![Arc::new(column)],
        )
        .unwrap();
        self.files += 1;
        let prefix = format!("rust-{}-{}", std::process::id(), self.files);
        let files = RollingFileWriterBuilder::new_with_default_file_size(
            ParquetWriterBuilder::new(WriterProperties::default(), schema),
            table.file_io().clone(),
            DefaultLocationGenerator::new(table.metadata())?,
            DefaultFileNameGenerator::new(prefix, None, DataFileFormat::Parquet),
        );
        let mut writer = DataFileWriterBuilder::new(files).build(None).await?;
        writer.write(rows).await?;
        writer.close().await
    }

    async fn append(&mut self, table: &Table, request: &Value) -> Result<Transaction> {
        let files = self.write_file(table, request).await?;
        let transaction = Transaction::new(table);
        transaction
            .fast_append()
            .add_data_files(files)
            .apply(transaction)
    }

    async fn on_namespace(&self, what: &str, request: &Value) -> Result<Value> {
        let levels = strings(&request["name"]);
        if what == "list namespaces" && levels.is_empty() {
            return Ok(json!(self.catalog.list_namespaces(None).await?));
        }
        let name = NamespaceIdent::from_vec(levels)?;
        Ok(match what {
            "list namespaces" => json!(self.catalog.list_namespaces(Some(&name)).await?),
            "load namespace" => json!(self.catalog.get_namespace(&name).await?.properties()),
            "list tables" => {
                let tables = self.catalog.list_tables(&name).await?;
                json!(tables.iter().map(plain).collect::<Vec<_>>())
            }
            "drop namespace" => json!(self.catalog.drop_namespace(&name).await?),
            _ => {
                self.catalog
                    .create_namespace(&name, properties_of(request))
                    .await?;
                Value::Null
            }
        })
    }

    async fn on_table(&mut self, what: &str, request: &Value) -> Result<Value> {
        let name = TableIdent::from_strs(strings(&request["name"]))?;
        let table = self.catalog.load_table(&name).await?;
        Ok(match what {
            "load table" => json!({
                "location": table.metadata_location(),
                "properties": table.metadata().properties(),
                "uuid": table.metadata().uuid().to_string()
            }),
            "ids" => json!(ids_of(&table).await?),
            "append" => {
                self.append(&table, request)
                    .await?
                    .commit(&self.catalog)
                    .await?;
                Value::Null
            }
            "hold" => {
                self.held = Some(self.append(&table, request).await?);
                Value::Null
            }
            _ => json!(set_properties(&self.catalog, &table, properties_of(request)).await?),
        })
    }

    async fn on_name(&self, what: &str, request: &Value) -> Result<Value> {
        let name = TableIdent::from_strs(strings(&request["name"]))?;
        match what {
            "drop table" => self.catalog.drop_table(&name).await?,
            "rename table" => {
                let to = TableIdent::from_strs(strings(&request["to"]))?;
                self.catalog.rename_table(&name, &to).await?
            }
            _ => {
                let creation = TableCreation::builder()
                    .name(name.name().to_string())
                    .schema(schema()?)
                    .properties(properties_of(request))
                    .build();
                self.catalog
                    .create_table(name.namespace(), creation)
                    .await?;
            }
        }
        Ok(Value::Null)
    }

    async fn carry_out(&mut self, request: &Value) -> Result<Value> {
        let what = request["do"].as_str().unwrap();
        match what {
            "create namespace" | "list namespaces" | "load namespace" | "drop namespace"
            | "list tables" => self.on_namespace(what, request).await,
            "create table" | "rename table" | "drop table" => self.on_name(what, request).await,
            "release" => {
                self.held.take().unwrap().commit(&self.catalog).await?;
                Ok(Value::Null)
            }
            "load table" | "ids" | "append" | "hold" | "set properties" => {
                self.on_table(what, request).await
            }
            _ => Err(Error::new(
                ErrorKind::Unexpected,
                format!("unknown request {what}"),
            )),
        }
    }
}

async fn serve(catalog: SqlCatalog) -> Result<()> {
    let mut session = Session {
        catalog,
        files: 0,
        held: None,
    };
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let answer = match session.carry_out(&request).await {
            Ok(value) => json!({ "value": value }),
            Err(error) => json!({ "error": kind_of(&error), "message": error.to_string() }),
        };
        println!("{answer}");
    }
    Ok(())
}

async fn write(catalog: SqlCatalog, name: &str, seconds: f64, tables: &[String]) -> Result<()> {
    let mut done: HashMap<&String, usize> = HashMap::new();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let mut turns = tables.iter().cycle();
    while Instant::now() < end {
        let chosen = turns.next().unwrap();
        let table = catalog
            .load_table(&TableIdent::from_strs(["shared", chosen])?)
            .await?;
        let count = done.entry(chosen).or_default();
        let properties = HashMap::from([(name.to_string(), (*count + 1).to_string())]);
        match set_properties(&catalog, &table, properties).await {
            Ok(()) => *count += 1,
            // Another writer was faster, each time that it was tried.
            Err(error) if error.kind() == ErrorKind::CatalogCommitConflicts => {}
            Err(error) => return Err(error),
        }
    }
    println!("{}", json!(done));
    Ok(())
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, name, warehouse, rest @ ..] = words.as_slice() else {
        panic!("expected FILE CATALOG WAREHOUSE serve, or NAME write SECONDS TABLE...");
    };
    let catalog = open(file, name, warehouse).await?;
    match rest {
        [writer, what, seconds, tables @ ..] if what == "write" => {
            write(catalog, writer, seconds.parse().unwrap(), tables).await
        }
        _ => serve(catalog).await,
    }
}
