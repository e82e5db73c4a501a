// Avro files for tests, written by avro-c.
#pragma once

#include <avro.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace berglite::testing {

// The fields of the specification that a reader has to find its way through, by format version.
inline std::string ManifestListSchema(int format_version) {
  std::string later;
  if (format_version >= 2) {
    later = R"({"name":"content","type":"int","field-id":517},
      {"name":"sequence_number","type":"long","field-id":515},)";
  }
  std::string last;
  if (format_version >= 3) {
    last = R"(,{"name":"first_row_id","type":["null","long"],"default":null,"field-id":520})";
  }
  return R"({"type":"record","name":"manifest_file","fields":[
      {"name":"manifest_path","type":"string","field-id":500},
      {"name":"manifest_length","type":"long","field-id":501},
      {"name":"partition_spec_id","type":"int","field-id":502},)" +
         later + R"(
      {"name":"added_snapshot_id","type":["null","long"],"field-id":503},
      {"name":"partitions","type":["null",{"type":"array","element-id":508,"items":
        {"type":"record","name":"r508","fields":[
          {"name":"contains_null","type":"boolean","field-id":509},
          {"name":"lower_bound","type":["null","bytes"],"field-id":510}]}}],"field-id":507})" +
         last + "]}";
}

inline std::string ManifestSchema(int format_version) {
  std::string content;
  if (format_version >= 2) content = R"({"name":"content","type":"int","field-id":134},)";
  std::string vectors;
  if (format_version >= 3) {
    vectors = R"(,{"name":"referenced_data_file","type":["null","string"],"field-id":143},
      {"name":"content_offset","type":["null","long"],"field-id":144})";
  }
  return R"({"type":"record","name":"manifest_entry","fields":[
      {"name":"status","type":"int","field-id":0},
      {"name":"snapshot_id","type":["null","long"],"field-id":1},
      {"name":"data_file","field-id":2,"type":{"type":"record","name":"r2","fields":[)" +
         content + R"(
        {"name":"file_path","type":"string","field-id":100},
        {"name":"file_format","type":"string","field-id":101},
        {"name":"partition","field-id":102,"type":{"type":"record","name":"r102","fields":[
          {"name":"day","type":["null",{"type":"int","logicalType":"date"}],"field-id":1000}]}},
        {"name":"record_count","type":"long","field-id":103},
        {"name":"file_size_in_bytes","type":"long","field-id":104},
        {"name":"column_sizes","field-id":108,"type":["null",{"type":"array","logicalType":"map",
          "items":{"type":"record","name":"k117_v118","fields":[
            {"name":"key","type":"int","field-id":117},
            {"name":"value","type":"long","field-id":118}]}}]},
        {"name":"lower_bounds","field-id":125,"type":["null",{"type":"map","values":"bytes"}]},
        {"name":"split_offsets","type":["null",{"type":"array","items":"long"}],"field-id":132})" +
         vectors + "]}}]}";
}

// An entry of a manifest, or of a manifest list (path and content alone).
struct FileEntry {
  std::string path;
  int content = 0;
  int status = 1;
  bool is_deletion_vector = false;
  std::string referenced_data_file = "of no interest";  // of version 3
};

// One Avro record under construction; fields that a test does not set are as a default value.
class AvroRecord {
 public:
  explicit AvroRecord(avro_value_iface_t* type) { avro_generic_value_new(type, &value_); }
  ~AvroRecord() { avro_value_decref(&value_); }
  AvroRecord(const AvroRecord&) = delete;
  AvroRecord& operator=(const AvroRecord&) = delete;

  avro_value_t* get() { return &value_; }

 private:
  avro_value_t value_ = {};
};

inline avro_value_t FieldOf(avro_value_t record, const char* name) {
  avro_value_t field = {};
  EXPECT_EQ(avro_value_get_by_name(&record, name, &field, nullptr), 0) << name;
  return field;
}

// The branch of a union, chosen and returned.
inline avro_value_t Branch(avro_value_t field, int branch) {
  avro_value_t value = {};
  EXPECT_EQ(avro_value_set_branch(&field, branch, &value), 0);
  return value;
}

inline void SetNull(avro_value_t record, const char* name) { Branch(FieldOf(record, name), 0); }

inline void SetString(avro_value_t value, const std::string& text) {
  avro_value_set_string(&value, text.c_str());
}

// Writes records of `schema` with `fill` called for each entry. Deflate, snappy or null.
template <typename Fill>
void WriteAvro(const std::string& path, const std::string& schema_json,
               const std::vector<FileEntry>& entries, const char* codec, Fill fill) {
  avro_schema_t schema = nullptr;
  ASSERT_EQ(avro_schema_from_json_length(schema_json.data(), schema_json.size(), &schema), 0)
      << avro_strerror();
  avro_file_writer_t writer = nullptr;
  std::remove(path.c_str());
  ASSERT_EQ(avro_file_writer_create_with_codec(path.c_str(), schema, &writer, codec, 4096), 0)
      << avro_strerror();
  avro_value_iface_t* type = avro_generic_class_from_schema(schema);
  for (const FileEntry& entry : entries) {
    AvroRecord record(type);
    fill(*record.get(), entry);
    ASSERT_EQ(avro_file_writer_append_value(writer, record.get()), 0) << avro_strerror();
  }
  avro_value_iface_decref(type);
  ASSERT_EQ(avro_file_writer_close(writer), 0);
  avro_schema_decref(schema);
}

inline void WriteManifestList(const std::string& path, int format_version,
                              const std::vector<FileEntry>& manifests,
                              const char* codec = "deflate") {
  WriteAvro(path, ManifestListSchema(format_version), manifests, codec,
            [&](avro_value_t record, const FileEntry& entry) {
              SetString(FieldOf(record, "manifest_path"), entry.path);
              avro_value_t snapshot = Branch(FieldOf(record, "added_snapshot_id"), 1);
              avro_value_set_long(&snapshot, 1234567890123);
              avro_value_t partitions = Branch(FieldOf(record, "partitions"), 1);
              avro_value_t partition = {};
              avro_value_append(&partitions, &partition, nullptr);
              avro_value_t bound = Branch(FieldOf(partition, "lower_bound"), 1);
              char bytes[] = "\x01\x02";
              avro_value_set_bytes(&bound, bytes, 2);
              if (format_version >= 3) SetNull(record, "first_row_id");
              if (format_version < 2) return;
              avro_value_t content = FieldOf(record, "content");
              avro_value_set_int(&content, entry.content);
            });
}

inline void WriteManifest(const std::string& path, int format_version,
                          const std::vector<FileEntry>& entries, const char* codec = "deflate") {
  WriteAvro(
      path, ManifestSchema(format_version), entries, codec,
      [&](avro_value_t record, const FileEntry& entry) {
        avro_value_t status = FieldOf(record, "status");
        avro_value_set_int(&status, entry.status);
        SetNull(record, "snapshot_id");
        avro_value_t file = FieldOf(record, "data_file");
        SetString(FieldOf(file, "file_path"), entry.path);
        SetString(FieldOf(file, "file_format"), entry.is_deletion_vector ? "PUFFIN" : "PARQUET");
        avro_value_t day = Branch(FieldOf(FieldOf(file, "partition"), "day"), 1);
        avro_value_set_int(&day, -19'000);
        avro_value_t sizes = Branch(FieldOf(file, "column_sizes"), 1);
        for (int i = 0; i < 3; ++i) {
          avro_value_t pair = {};
          avro_value_append(&sizes, &pair, nullptr);
        }
        SetNull(file, "lower_bounds");
        SetNull(file, "split_offsets");
        if (format_version >= 3) {
          SetString(Branch(FieldOf(file, "referenced_data_file"), 1), entry.referenced_data_file);
          SetNull(file, "content_offset");
        }
        if (format_version < 2) return;
        avro_value_t content = FieldOf(file, "content");
        avro_value_set_int(&content, entry.content);
      });
}

}  // namespace berglite::testing
