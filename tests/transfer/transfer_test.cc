#include "shim/transfer/transfer.h"

#include <filesystem>
#include <string>
#include <vector>

#include "tests/transfer/fixture.h"

namespace berglite::transfer {
namespace {

using ::berglite::testing::IsError;
using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// `table a.b moved 2=2 because`, for comparisons.
std::string Describe(const Outcome& outcome) {
  const char* const kinds[] = {"namespace", "table", "view"};
  const char* const verdicts[] = {"moved", "would", "present", "skipped", "failed"};
  std::string text = kinds[static_cast<int>(outcome.kind)];
  std::string name;
  for (const std::string& part : outcome.name) name += (name.empty() ? " " : "/") + part;
  text += name + " " + verdicts[static_cast<int>(outcome.verdict)];
  if (outcome.target_snapshots >= 0) {
    text += " " + std::to_string(outcome.source_snapshots) + "=" +
            std::to_string(outcome.target_snapshots);
  }
  return text;
}

// From one catalog file to another, and over HTTP on either side or both.
enum class Way { kLocal, kImport, kExport, kRemote };

class AnyWay : public TransferTest, public ::testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    CreateNamespace(*from_, {"sales"}, {{"owner", "me"}});
    CreateNamespace(*from_, {"sales", "e u.x"}, Json::object());
    CreateNamespace(*from_, {"z"}, Json::object());
    CreateTable(*from_, {{"sales"}, "orders"});
    AddSnapshot(*from_, {{"sales"}, "orders"}, 1);
    AddSnapshot(*from_, {{"sales"}, "orders"}, 2);
    CreateTable(*from_, {{"sales", "e u.x"}, "a b/c"});
    CreateView(*from_, {{"sales"}, "v"}, "SELECT 1");
    const bool reads_http = GetParam() == Way::kImport || GetParam() == Way::kRemote;
    const bool writes_http = GetParam() == Way::kExport || GetParam() == Way::kRemote;
    if (reads_http) from_server_ = Serve(*from_);
    if (writes_http) to_server_ = Serve(*to_);
    source_ = reads_http ? Connect(from_server_->uri()) : MakeLocalEndpoint(*from_, "from");
    target_ = writes_http ? Connect(to_server_->uri()) : MakeLocalEndpoint(*to_, "to");
  }

  std::vector<std::string> Move(const TransferOptions& options = {}) {
    outcomes_.clear();
    auto outcomes = Transfer(*source_, *target_, options);
    EXPECT_THAT(outcomes, IsOk());
    std::vector<std::string> described;
    if (!outcomes) return described;
    outcomes_ = *std::move(outcomes);
    for (const Outcome& outcome : outcomes_) described.push_back(Describe(outcome));
    return described;
  }

  std::unique_ptr<Server> from_server_;
  std::unique_ptr<Server> to_server_;
  std::unique_ptr<Endpoint> source_;
  std::unique_ptr<Endpoint> target_;
  std::vector<Outcome> outcomes_;
};

INSTANTIATE_TEST_SUITE_P(On, AnyWay,
                         ::testing::Values(Way::kLocal, Way::kImport, Way::kExport, Way::kRemote));

TEST_P(AnyWay, MovesThePointersOfEverythingAndNothingTwice) {
  EXPECT_THAT(Move(), ElementsAre("namespace sales moved", "table sales/orders moved 2=2",
                                  "view sales/v moved", "namespace sales/e u.x moved",
                                  "table sales/e u.x/a b/c moved 0=0", "namespace z moved"));
  const TableIdentifier orders{{"sales"}, "orders"};
  EXPECT_EQ(Load(*to_, orders), Load(*from_, orders));
  EXPECT_EQ(ToJson(*to_->LoadView({{"sales"}, "v"})), ToJson(*from_->LoadView({{"sales"}, "v"})));
  const Json properties = ToJson(*to_->LoadNamespaceMetadata({"sales"}))["properties"];
  EXPECT_EQ(properties["owner"], "me");
  // New tables go below the warehouse of the target.
  EXPECT_EQ(properties["location"], to_->warehouse() + "/sales");
  EXPECT_THAT(Move(), ElementsAre("namespace sales present", "table sales/orders present 2=2",
                                  "view sales/v present", "namespace sales/e u.x present",
                                  "table sales/e u.x/a b/c present 0=0", "namespace z present"));
}

TEST_P(AnyWay, OnlyLooksInADryRun) {
  EXPECT_THAT(Move({.dry_run = true}),
              ElementsAre("namespace sales would", "table sales/orders would", "view sales/v would",
                          "namespace sales/e u.x would", "table sales/e u.x/a b/c would",
                          "namespace z would"));
  EXPECT_THAT(to_->NamespaceExists({"sales"}), IsOkAndHolds(false));
}

TEST_P(AnyWay, MovesOnlyTheNamespacesItIsAskedFor) {
  EXPECT_THAT(Move({.namespaces = {{"sales", "e u.x"}, {"none"}}}),
              ElementsAre("namespace sales/e u.x moved", "table sales/e u.x/a b/c moved 0=0",
                          "namespace none failed"));
  EXPECT_THAT(outcomes_.back().reason, HasSubstr("none"));
  EXPECT_THAT(to_->TableExists({{"sales"}, "orders"}), IsOkAndHolds(false));
}

TEST_P(AnyWay, LeavesWhatHasTheNameAlone) {
  CreateNamespace(*to_, {"sales"}, {{"owner", "you"}});
  CreateTable(*to_, {{"sales"}, "orders"});
  CreateView(*to_, {{"sales"}, "v"}, "SELECT 2");
  const Json before = Load(*to_, {{"sales"}, "orders"});
  const TransferOptions options{.namespaces = {{"sales"}}, .overwrite = true};
  EXPECT_THAT(Move(options), ElementsAre("namespace sales present", "table sales/orders skipped",
                                         "view sales/v skipped", "namespace sales/e u.x moved",
                                         "table sales/e u.x/a b/c moved 0=0"));
  EXPECT_EQ(outcomes_[1].reason, "another table has this name there");
  EXPECT_EQ(Load(*to_, {{"sales"}, "orders"}), before);
  EXPECT_EQ(ToJson(*to_->LoadNamespaceMetadata({"sales"}))["properties"]["owner"], "you");
}

TEST_P(AnyWay, TakesAnotherVersionOnlyWhenToldTo) {
  Move();
  AddSnapshot(*from_, {{"sales"}, "orders"}, 3);
  const Json before = Load(*to_, {{"sales"}, "orders"});
  EXPECT_EQ(Move({.namespaces = {{"sales"}}})[1], "table sales/orders skipped");
  EXPECT_THAT(outcomes_[1].reason, HasSubstr("is at another version there: " +
                                             std::string(before["metadata-location"])));
  EXPECT_EQ(Load(*to_, {{"sales"}, "orders"}), before);
  EXPECT_EQ(Move({.namespaces = {{"sales"}}, .overwrite = true})[1],
            "table sales/orders moved 3=3");
  EXPECT_EQ(outcomes_[1].reason, "replaces " + std::string(before["metadata-location"]));
  EXPECT_EQ(Load(*to_, {{"sales"}, "orders"}), Load(*from_, {{"sales"}, "orders"}));
}

TEST_P(AnyWay, GoesOnAfterATableThatCannotMove) {
  const std::string location = Load(*from_, {{"sales"}, "orders"})["metadata-location"];
  std::filesystem::remove(location.substr(7));
  EXPECT_THAT(Move(), ElementsAre("namespace sales moved", "table sales/orders failed",
                                  "view sales/v moved", "namespace sales/e u.x moved",
                                  "table sales/e u.x/a b/c moved 0=0", "namespace z moved"));
  EXPECT_THAT(outcomes_[1].reason, HasSubstr(location));
}

// A target as other catalogs are: it takes no pointers of views.
class WithoutRegisterView : public Endpoint {
 public:
  explicit WithoutRegisterView(Endpoint& base) : base_(base) {}

  std::string name() const override { return base_.name(); }
  bool CanRegisterViews() const override { return false; }
  Result<std::vector<Namespace>> ListNamespaces(const Namespace& parent) override {
    return base_.ListNamespaces(parent);
  }
  Result<std::vector<TableIdentifier>> ListTables(const Namespace& n) override {
    return base_.ListTables(n);
  }
  Result<std::vector<TableIdentifier>> ListViews(const Namespace& n) override {
    return base_.ListViews(n);
  }
  Result<Document> LoadNamespace(const Namespace& n) override { return base_.LoadNamespace(n); }
  Result<Document> LoadTable(const TableIdentifier& t) override { return base_.LoadTable(t); }
  Result<Document> LoadView(const TableIdentifier& v) override { return base_.LoadView(v); }
  Status CreateNamespace(const Document& d) override { return base_.CreateNamespace(d); }
  Status RegisterTable(const Namespace& n, const Document& d) override {
    return base_.RegisterTable(n, d);
  }
  Status RegisterView(const Namespace&, const Document&) override {
    ADD_FAILURE() << "RegisterView was called";
    return {};
  }
  Status CreateView(const Namespace& n, const Document& d) override {
    return base_.CreateView(n, d);
  }

 private:
  Endpoint& base_;
};

// A source as a catalog without nested namespaces may be: it ignores the parent.
class IgnoringParents final : public WithoutRegisterView {
 public:
  using WithoutRegisterView::WithoutRegisterView;
  Result<std::vector<Namespace>> ListNamespaces(const Namespace& /*parent*/) override {
    return std::vector<Namespace>{{"sales"}};
  }
};

TEST_P(AnyWay, FollowsNoNamespaceThatIsNotBelowItsParent) {
  IgnoringParents source(*source_);
  auto outcomes = Transfer(source, *target_, {});
  ASSERT_THAT(outcomes, IsOk());
  EXPECT_EQ(Describe(outcomes->front()), "namespace sales moved");
  EXPECT_EQ(Describe(outcomes->back()), "namespace sales failed");
  EXPECT_EQ(outcomes->size(), 4u);
}

TEST_P(AnyWay, CreatesViewsAnewWhereTheirPointersAreNotTaken) {
  WithoutRegisterView target(*target_);
  const TransferOptions options{.namespaces = {{"sales"}}};
  auto outcomes = Transfer(*source_, target, options);
  ASSERT_THAT(outcomes, IsOk());
  EXPECT_EQ(Describe(outcomes->at(2)), "view sales/v moved");
  const Json made = ToJson(*to_->LoadView({{"sales"}, "v"}))["metadata"];
  EXPECT_EQ(made["versions"][0]["representations"][0]["sql"], "SELECT 1");
  EXPECT_EQ(made["properties"]["k"], "v");
  outcomes = Transfer(*source_, target, options);
  ASSERT_THAT(outcomes, IsOk());
  EXPECT_EQ(Describe(outcomes->at(2)), "view sales/v present");
}

}  // namespace
}  // namespace berglite::transfer
