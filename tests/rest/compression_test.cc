#include "shim/rest/compression.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "shim/rest/limits.h"
#include "tests/rest/rest_fixture.h"

namespace berglite::rest {
namespace {

std::string Gunzip(std::string_view zipped, size_t size_max) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string text(size_max, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zipped.data()));
  stream.avail_in = static_cast<uInt>(zipped.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(AcceptsGzip, ReadsNamesAndWeights) {
  for (std::string_view header :
       {"gzip", "GZip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.001", "x-gzip", "*", "*;q=0.5",
        "identity, gzip ; q=1", "deflate , gzip", "gzip, x-gzip, deflate"}) {
    EXPECT_TRUE(AcceptsGzip(header)) << header;
  }
  for (std::string_view header :
       {"", "identity", "br", "gzip;q=0", "gzip;q=0.000", "gzip; Q=0", "gzip;q=0, *", "*, gzip;q=0",
        "*;q=0", "gzip;q=", "gzip;q=high", "gzipped", "deflate, br, zstd"}) {
    EXPECT_FALSE(AcceptsGzip(header)) << header;
  }
}

TEST(Gzip, IsUndoneByGunzip) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += std::to_string(i * i) + ",";
  std::optional<std::string> zipped = Gzip(text);
  ASSERT_TRUE(zipped.has_value());
  EXPECT_LT(zipped->size(), text.size());
  EXPECT_EQ(Gunzip(*zipped, text.size() + 1), text);
  EXPECT_EQ(Gunzip(Gzip("").value_or(""), 1), "");
}

class CompressionTest : public RestTest {
 protected:
  CompressionTest() { catalog_.tables.insert({{"ns"}, "t"}); }

  // The answer to a load whose body is a document of that many bytes.
  HttpReply Load(size_t body_bytes, const std::string& accept_encoding) {
    constexpr std::string_view kFrame = R"({"x":""})";
    catalog_.table_body = R"({"x":")" + std::string(body_bytes - kFrame.size(), 'y') + R"("})";
    return Ask("GET", "/v1/namespaces/ns/tables/t", {{"Accept-Encoding", accept_encoding}});
  }
};

TEST_F(CompressionTest, IsForLargeBodiesOnly) {
  EXPECT_EQ(HeaderOf(Load(kGzipBytesMin - 1, "gzip"), "Content-Encoding"), "(none)");
  HttpReply reply = Load(kGzipBytesMin, "gzip");
  EXPECT_EQ(HeaderOf(reply, "Content-Encoding"), "gzip");
  EXPECT_EQ(HeaderOf(reply, "Vary"), "Accept-Encoding");
  EXPECT_EQ(HeaderOf(reply, "Content-Type"), "application/json");
  EXPECT_EQ(Gunzip(reply.body(), kGzipBytesMin + 1), catalog_.table_body);
}

TEST_F(CompressionTest, IsNotForClientsThatDoNotAskForIt) {
  for (const char* header : {"br", "identity", "gzip;q=0", ""}) {
    HttpReply reply = Load(10 * kGzipBytesMin, header);
    EXPECT_EQ(HeaderOf(reply, "Content-Encoding"), "(none)") << header;
    EXPECT_EQ(HeaderOf(reply, "Vary"), "Accept-Encoding") << header;
    EXPECT_EQ(reply.body(), catalog_.table_body) << header;
  }
}

}  // namespace
}  // namespace berglite::rest
