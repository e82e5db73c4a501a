// Every method of Reader and Writer, on names of every sort.

#include "lib/base/limits.h"
#include "tests/store/fixtures.h"
#include "tests/support/temp_dir.h"

namespace berglite::store {
namespace {

using ::berglite::testing::IsOk;
using ::berglite::testing::IsOkAndHolds;
using ::berglite::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Optional;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

using Names = std::vector<std::string>;

class Rows : public ::testing::TestWithParam<const char*> {
 protected:
  Rows() : path_(GetParam() == std::string(":memory:") ? GetParam() : dir_ / GetParam()) {
    store_ = OpenOrDie(path_);
  }

  Status InsertNamespace(const Namespace& name_space, const Properties& properties = {}) {
    return store_->Write([&](Writer& w) { return w.InsertNamespace(name_space, properties); },
                         NeverAsked);
  }
  Result<bool> InsertEntry(const EntryKey& key, const Entry& entry) {
    return WriteOne(*store_, [&](Writer& w) { return w.InsertEntry(key, entry); });
  }
  Result<bool> InsertTable(const Namespace& name_space, const std::string& name) {
    return InsertEntry({name_space, name}, {EntryKind::kTable, "m/" + name});
  }
  Result<bool> Move(const EntryKey& key, EntryKind kind, const std::string& from,
                    const std::string& to) {
    return WriteOne(*store_, [&](Writer& w) { return w.MovePointer(key, kind, from, to); });
  }
  Result<bool> Exists(const Namespace& name_space) {
    return ReadOne(*store_, [&](Reader& r) { return r.NamespaceExists(name_space); });
  }
  Result<std::optional<Properties>> Find(const Namespace& name_space) {
    return ReadOne(*store_, [&](Reader& r) { return r.FindNamespace(name_space); });
  }
  Result<Names> Children(const Namespace& parent, std::optional<std::string> after = std::nullopt,
                         size_t limit = 0) {
    return ReadOne(*store_, [&](Reader& r) { return r.ListChildren(parent, after, limit); });
  }
  Result<Names> Entries(const Namespace& name_space, EntryKind kind = EntryKind::kTable,
                        std::optional<std::string> after = std::nullopt, size_t limit = 0) {
    return ReadOne(*store_,
                   [&](Reader& r) { return r.ListEntries(name_space, kind, after, limit); });
  }
  // The location of a table or view, prefixed by its kind; `none` where there is no such entry.
  std::string Describe(const EntryKey& key) {
    auto entry = ReadOne(*store_, [&](Reader& r) { return r.FindEntry(key); });
    if (!entry) return entry.error().message;
    if (!*entry) return "none";
    const std::map<EntryKind, std::string> names = {
        {EntryKind::kTable, "table "}, {EntryKind::kView, "view "}, {EntryKind::kOther, "other "}};
    return names.at((*entry)->kind) + (*entry)->metadata_location;
  }
  NamespaceContents Count(const Namespace& name_space) {
    auto contents = ReadOne(*store_, [&](Reader& r) { return r.CountContents(name_space); });
    EXPECT_THAT(contents, IsOk());
    return contents ? *contents : NamespaceContents{-1, -1, -1};
  }

  testing::TempDir dir_;
  const std::string path_;
  std::unique_ptr<Store> store_;
};

// What runs on a file and in memory alike.
using AnyRows = Rows;
INSTANTIATE_TEST_SUITE_P(On, AnyRows, ::testing::Values("lake.db", ":memory:"),
                         [](const auto& test) { return test.index == 0 ? "File" : "Memory"; });

TEST_P(AnyRows, OfANewFileHoldNothing) {
  EXPECT_EQ(store_->catalog_name(), "default");
  EXPECT_THAT(Children({}), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Exists({"a"}), IsOkAndHolds(false));
  EXPECT_THAT(Find({"a"}), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(Entries({"a"}), IsOkAndHolds(IsEmpty()));
  EXPECT_EQ(Describe({{"a"}, "t"}), "none");
}

TEST_P(AnyRows, ANamespaceAndItsParentsExistOnceInserted) {
  ASSERT_THAT(InsertNamespace({"a", "b", "c"}, {{"k", "v"}, {"", ""}}), IsOk());
  EXPECT_THAT(Exists({"a"}), IsOkAndHolds(true));
  EXPECT_THAT(Exists({"a", "b"}), IsOkAndHolds(true));
  EXPECT_THAT(Find({"a"}), IsOkAndHolds(Optional(IsEmpty())));
  EXPECT_THAT(Find({"a", "b", "c"}),
              IsOkAndHolds(Optional(ElementsAre(Pair("", ""), Pair("k", "v")))));
  EXPECT_THAT(Exists({"b"}), IsOkAndHolds(false));
  EXPECT_THAT(Exists({"a", "b", "c", "d"}), IsOkAndHolds(false));
}

TEST_P(AnyRows, PropertiesAreSetReplacedAndRemoved) {
  ASSERT_THAT(InsertNamespace({"a"}, {{"k", "1"}, {"gone", "x"}}), IsOk());
  ASSERT_THAT(store_->Write(
                  [&](Writer& w) {
                    return w.SetNamespaceProperties({"a"}, {{"k", "2"}, {"n", "3"}},
                                                    {"gone", "never", "exists"});
                  },
                  NeverAsked),
              IsOk());
  EXPECT_THAT(Find({"a"}), IsOkAndHolds(Optional(ElementsAre(Pair("k", "2"), Pair("n", "3")))));
}

TEST_P(AnyRows, DeletingANamespaceLeavesWhatIsBelow) {
  ASSERT_THAT(InsertNamespace({"a", "b"}), IsOk());
  ASSERT_THAT(store_->Write(
                  [](Writer& w) {
                    return w.DeleteNamespace({"a", "b"});
                  },
                  NeverAsked),
              IsOk());
  EXPECT_THAT(Exists({"a", "b"}), IsOkAndHolds(false));
  EXPECT_THAT(Exists({"a"}), IsOkAndHolds(true));

  ASSERT_THAT(InsertNamespace({"a", "b"}), IsOk());
  ASSERT_THAT(store_->Write([](Writer& w) { return w.DeleteNamespace({"a"}); }, NeverAsked),
              IsOk());
  EXPECT_THAT(Exists({"a"}), IsOkAndHolds(true));  // as the parent of a.b
}

TEST_P(AnyRows, ANamespaceThatOnlyATableNamesExists) {
  ASSERT_THAT(InsertTable({"a", "b", "c"}, "t"), IsOkAndHolds(true));
  EXPECT_THAT(Exists({"a"}), IsOkAndHolds(true));
  EXPECT_THAT(Find({"a", "b"}), IsOkAndHolds(Optional(IsEmpty())));
  EXPECT_THAT(Find({"a", "b", "c"}), IsOkAndHolds(Optional(IsEmpty())));
  EXPECT_THAT(Children({}), IsOkAndHolds(ElementsAre("a")));
  EXPECT_THAT(Children({"a"}), IsOkAndHolds(ElementsAre("b")));
  EXPECT_EQ(Count({"a"}).child_namespaces, 1);
}

TEST_P(AnyRows, NamesThatBeginAlikeAreApart) {
  ASSERT_THAT(InsertNamespace({"my_ns_112_1"}), IsOk());
  EXPECT_THAT(Exists({"my_ns_1_2"}), IsOkAndHolds(false));
  ASSERT_THAT(InsertNamespace({"my_ns_1"}), IsOk());
  ASSERT_THAT(InsertTable({"my_ns_1"}, "t"), IsOkAndHolds(true));
  EXPECT_THAT(Exists({"my_ns"}), IsOkAndHolds(false));
  EXPECT_THAT(Exists({"myXns_1"}), IsOkAndHolds(false));
  EXPECT_THAT(Exists({"MY_NS_1"}), IsOkAndHolds(false));

  ASSERT_THAT(InsertNamespace({"my_ns"}), IsOk());
  EXPECT_EQ(Count({"my_ns"}).tables, 0);
  EXPECT_EQ(Count({"my_ns"}).child_namespaces, 0);

  ASSERT_THAT(InsertNamespace({"db", "ns1"}), IsOk());
  ASSERT_THAT(InsertNamespace({"db2", "ns4"}), IsOk());
  ASSERT_THAT(InsertNamespace({"DB", "ns5"}), IsOk());
  ASSERT_THAT(InsertNamespace({"%", "ns6"}), IsOk());
  EXPECT_THAT(Children({"db"}), IsOkAndHolds(ElementsAre("ns1")));
  EXPECT_THAT(Children({"%"}), IsOkAndHolds(ElementsAre("ns6")));
  EXPECT_THAT(Exists({"d_"}), IsOkAndHolds(false));
}

TEST_P(AnyRows, ALevelWithADotIsNotTwoLevels) {
  ASSERT_THAT(InsertNamespace({"a.b"}, {{"which", "one level"}}), IsOk());
  EXPECT_THAT(Exists({"a"}), IsOkAndHolds(false));
  EXPECT_THAT(Exists({"a", "b"}), IsOkAndHolds(false));
  ASSERT_THAT(InsertNamespace({"a", "b"}, {{"which", "two levels"}}), IsOk());
  EXPECT_THAT(Find({"a.b"}), IsOkAndHolds(Optional(ElementsAre(Pair("which", "one level")))));
  EXPECT_THAT(Find({"a", "b"}), IsOkAndHolds(Optional(ElementsAre(Pair("which", "two levels")))));
  EXPECT_THAT(Children({}), IsOkAndHolds(ElementsAre("a", "a.b")));
  EXPECT_THAT(Children({"a"}), IsOkAndHolds(ElementsAre("b")));
  EXPECT_THAT(Children({"a.b"}), IsOkAndHolds(IsEmpty()));
}

TEST_P(AnyRows, ChildrenAreFoundInBothEncodings) {
  ASSERT_THAT(InsertTable({"x", "a.b", "deep"}, "t"), IsOkAndHolds(true));
  EXPECT_THAT(Exists({"x"}), IsOkAndHolds(true));
  EXPECT_THAT(Exists({"x", "a.b"}), IsOkAndHolds(true));
  EXPECT_THAT(Children({}), IsOkAndHolds(ElementsAre("x")));
  ASSERT_THAT(InsertNamespace({"x", "y"}), IsOk());
  ASSERT_THAT(InsertNamespace({"x", "y", "c.d"}), IsOk());
  EXPECT_THAT(Children({}), IsOkAndHolds(ElementsAre("x")));
  EXPECT_THAT(Children({"x"}), IsOkAndHolds(ElementsAre("a.b", "y")));
  EXPECT_THAT(Children({"x", "y"}), IsOkAndHolds(ElementsAre("c.d")));
  EXPECT_THAT(Children({"x", "a.b"}), IsOkAndHolds(ElementsAre("deep")));
  EXPECT_EQ(Count({"x"}).child_namespaces, 2);
}

// The names are chosen so that the texts in the file are in another order than the names: a child
// that exists only through what is below it comes after its longer neighbours there, and quoting
// moves characters.
TEST_P(AnyRows, ChildrenAreListedOnceInByteOrderFromAnyPoint) {
  const Names names = {
      "a",    "a b", "a!", "a-b",    "a-b-c", "a.b", "a<.",      "a\\.",
      "a\".", "ab",  "b.", "b.\x01", "c-",    "z",   "\xC3\xA9", "\xF0\x9F\x8E\x89"};
  for (const std::string& name : names) {
    ASSERT_THAT(InsertTable({"p", name, "below"}, "t"), IsOkAndHolds(true));
    ASSERT_THAT(InsertTable({name, "below"}, "t"), IsOkAndHolds(true));
  }
  ASSERT_THAT(InsertNamespace({"p", "a-b"}), IsOk());
  Names sorted = names;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_THAT(Children({"p"}), IsOkAndHolds(sorted));
  Names top = sorted;
  top.insert(std::lower_bound(top.begin(), top.end(), "p"), "p");
  EXPECT_THAT(Children({}), IsOkAndHolds(top));
  for (size_t i = 0; i < sorted.size(); ++i) {
    size_t left = std::min<size_t>(3, sorted.size() - i - 1);
    auto begin = sorted.begin() + static_cast<ptrdiff_t>(i) + 1;
    EXPECT_THAT(Children({"p"}, sorted[i], 3),
                IsOkAndHolds(Names(begin, begin + static_cast<ptrdiff_t>(left))))
        << sorted[i];
  }
  EXPECT_THAT(Children({"p"}, "a-a", 1), IsOkAndHolds(ElementsAre("a-b")));
  EXPECT_THAT(Children({"p"}, "", 1), IsOkAndHolds(ElementsAre("a")));
  EXPECT_THAT(Children({"p"}, "\xF0\x9F\x8E\x8A", 1), IsOkAndHolds(IsEmpty()));
}

TEST_P(AnyRows, EntriesAreListedByKindInByteOrderFromAnyPoint) {
  const Names tables = {"%",
                        "'; DROP TABLE iceberg_tables; --",
                        "B",
                        "_",
                        "a",
                        "a.b",
                        "b",
                        "\xC3\xA9",
                        "\xF0\x9F\x8E\x89"};
  for (const std::string& name : tables) {
    ASSERT_THAT(InsertTable({"ns"}, name), IsOkAndHolds(true));
  }
  ASSERT_THAT(InsertEntry({{"ns"}, "b2"}, {EntryKind::kView, "v"}), IsOkAndHolds(true));
  ASSERT_THAT(InsertTable({"ns", "sub"}, "below"), IsOkAndHolds(true));
  ASSERT_THAT(InsertTable({"ns2"}, "elsewhere"), IsOkAndHolds(true));

  EXPECT_THAT(Entries({"ns"}), IsOkAndHolds(tables));
  EXPECT_THAT(Entries({"ns"}, EntryKind::kView), IsOkAndHolds(ElementsAre("b2")));
  EXPECT_THAT(Entries({"ns"}, EntryKind::kTable, "_", 2), IsOkAndHolds(ElementsAre("a", "a.b")));
  EXPECT_THAT(Entries({"ns"}, EntryKind::kTable, "a.b", 2),
              IsOkAndHolds(ElementsAre("b", "\xC3\xA9")));
  EXPECT_THAT(Entries({"NS"}), IsOkAndHolds(IsEmpty()));
  NamespaceContents contents = Count({"ns"});
  EXPECT_EQ(contents.tables, static_cast<int64_t>(tables.size()));
  EXPECT_EQ(contents.views, 1);
  EXPECT_EQ(contents.child_namespaces, 1);
}

TEST_P(AnyRows, TablesAndViewsShareTheirNames) {
  ASSERT_THAT(InsertTable({"ns"}, "t"), IsOkAndHolds(true));
  EXPECT_THAT(InsertEntry({{"ns"}, "t"}, {EntryKind::kView, "v"}), IsOkAndHolds(false));
  EXPECT_THAT(InsertTable({"ns"}, "t"), IsOkAndHolds(false));
  EXPECT_THAT(InsertTable({"ns"}, "T"), IsOkAndHolds(true));
  EXPECT_EQ(Describe({{"ns"}, "t"}), "table m/t");
}

TEST_P(AnyRows, APointerMovesOnlyFromWhereItIs) {
  const EntryKey key{{"ns"}, "t"};
  ASSERT_THAT(InsertEntry(key, {EntryKind::kTable, "m/0"}), IsOkAndHolds(true));
  EXPECT_THAT(Move(key, EntryKind::kTable, "m/other", "m/1"), IsOkAndHolds(false));
  EXPECT_THAT(Move(key, EntryKind::kView, "m/0", "m/1"), IsOkAndHolds(false));
  EXPECT_THAT(Move({{"ns"}, "none"}, EntryKind::kTable, "m/0", "m/1"), IsOkAndHolds(false));
  EXPECT_EQ(Describe(key), "table m/0");
  EXPECT_THAT(Move(key, EntryKind::kTable, "m/0", "m/1"), IsOkAndHolds(true));
  EXPECT_THAT(Move(key, EntryKind::kTable, "m/0", "m/2"), IsOkAndHolds(false));
  EXPECT_EQ(Describe(key), "table m/1");
}

TEST_P(AnyRows, AnEntryIsDeletedOnlyAsWhatItIs) {
  const EntryKey key{{"ns"}, "v"};
  ASSERT_THAT(InsertEntry(key, {EntryKind::kView, "m/v"}), IsOkAndHolds(true));
  auto drop = [&](EntryKind kind) {
    return WriteOne(*store_, [&](Writer& w) { return w.DeleteEntry(key, kind); });
  };
  EXPECT_THAT(drop(EntryKind::kTable), IsOkAndHolds(false));
  EXPECT_EQ(Describe(key), "view m/v");
  EXPECT_THAT(drop(EntryKind::kView), IsOkAndHolds(true));
  EXPECT_THAT(drop(EntryKind::kView), IsOkAndHolds(false));
  EXPECT_EQ(Describe(key), "none");
}

TEST_P(AnyRows, AnEntryIsRenamedAcrossNamespacesAndKeepsItsPointer) {
  ASSERT_THAT(InsertTable({"ns"}, "t"), IsOkAndHolds(true));
  auto rename = [&](EntryKind kind) {
    return WriteOne(*store_, [&](Writer& w) {
      return w.RenameEntry({{"ns"}, "t"}, {{"x.y"}, "u"}, kind);
    });
  };
  EXPECT_THAT(rename(EntryKind::kView), IsOkAndHolds(false));
  EXPECT_THAT(rename(EntryKind::kTable), IsOkAndHolds(true));
  EXPECT_THAT(rename(EntryKind::kTable), IsOkAndHolds(false));
  EXPECT_EQ(Describe({{"ns"}, "t"}), "none");
  EXPECT_EQ(Describe({{"x.y"}, "u"}), "table m/t");
}

TEST_P(AnyRows, AWriteThatFailsChangesNothing) {
  Status status = store_->Write(
      [](Writer& w) -> Status {
        BERGLITE_RETURN_IF_ERROR(w.InsertNamespace({"a"}, {}));
        BERGLITE_RETURN_IF_ERROR(w.InsertEntry({{"a"}, "t"}, {EntryKind::kTable, "m"}));
        Result<std::optional<Entry>> own = w.FindEntry({{"a"}, "t"});
        EXPECT_TRUE(own && own->has_value());
        return Error{ErrorKind::kCommitFailed, "no"};
      },
      NeverAsked);
  EXPECT_THAT(status, testing::IsError(ErrorKind::kCommitFailed, "no"));
  EXPECT_THAT(Children({}), IsOkAndHolds(IsEmpty()));
}

TEST_P(AnyRows, AReadReturnsTheErrorOfItsBody) {
  Status status = store_->Read([](Reader&) -> Status {
    return Error{ErrorKind::kNoSuchTable, "none"};
  });
  EXPECT_THAT(status, testing::IsError(ErrorKind::kNoSuchTable, "none"));
}

// What other catalogs see in the file.
using FileRows = Rows;
INSTANTIATE_TEST_SUITE_P(On, FileRows, ::testing::Values("lake.db"));

std::string ShowOwed(const OwedDeletion& owed) {
  return owed.metadata_location + " " + std::to_string(owed.attempts) + owed.obstacle;
}

TEST_P(AnyRows, OfOwedDeletionsAreListedOnceDue) {
  auto owe = [&](const std::string& location, int64_t due_ms) {
    return store_->Write([&](Writer& w) { return w.OweDeletion(location, "u", due_ms); },
                         NeverAsked);
  };
  auto list = [&](int64_t now_ms, size_t limit) {
    auto owed = ReadOne(*store_, [&](Reader& r) { return r.ListOwedDeletions(now_ms, limit); });
    EXPECT_THAT(owed, IsOk());
    return owed ? *owed : std::vector<OwedDeletion>();
  };
  auto shown = [&](int64_t now_ms, size_t limit) {
    Names names;
    for (const OwedDeletion& owed : list(now_ms, limit)) names.push_back(ShowOwed(owed));
    return names;
  };
  EXPECT_THAT(shown(100, 10), IsEmpty());
  // What was put off before the clock was set back by years.
  const int64_t longest_ms = limits::kSweepRetryMsMax;
  ASSERT_THAT(owe("m/far", 2 * longest_ms), IsOk());
  EXPECT_THAT(shown(longest_ms, 10), IsEmpty());
  EXPECT_THAT(shown(longest_ms - 1, 10), ElementsAre("m/far 0"));
  const int64_t far = list(0, 10).front().id;
  ASSERT_THAT(store_->Write([&](Writer& w) { return w.SettleDeletion(far); }, NeverAsked), IsOk());
  ASSERT_THAT(owe("m/late", 30), IsOk());
  ASSERT_THAT(owe("m/early", 10), IsOk());
  ASSERT_THAT(owe("m/moved", 5), IsOk());
  const int64_t moved = list(5, 10).front().id;
  ASSERT_THAT(
      store_->Write([&](Writer& w) { return w.PostponeDeletion(moved, 20, " disk"); }, NeverAsked),
      IsOk());
  EXPECT_THAT(shown(9, 10), IsEmpty());
  EXPECT_THAT(shown(20, 10), ElementsAre("m/early 0", "m/moved 1 disk"));
  EXPECT_THAT(shown(100, 1), ElementsAre("m/early 0"));
  const int64_t early = list(100, 1).front().id;
  for (int i = 0; i < 2; ++i) {
    ASSERT_THAT(store_->Write([&](Writer& w) { return w.SettleDeletion(early); }, NeverAsked),
                IsOk());
  }
  EXPECT_THAT(shown(100, 10), ElementsAre("m/moved 1 disk", "m/late 0"));
}

// One that is settled must not settle another that came after it.
TEST_P(AnyRows, OfOwedDeletionsHaveIdsThatDoNotComeBack) {
  auto owe_one = [&] {
    EXPECT_THAT(store_->Write([&](Writer& w) { return w.OweDeletion("m", "", 1); }, NeverAsked),
                IsOk());
    auto owed = ReadOne(*store_, [&](Reader& r) { return r.ListOwedDeletions(1, 1); });
    return owed && owed->size() == 1 ? owed->front().id : -1;
  };
  const int64_t first = owe_one();
  ASSERT_THAT(store_->Write([&](Writer& w) { return w.SettleDeletion(first); }, NeverAsked),
              IsOk());
  EXPECT_GT(owe_one(), first);
}

TEST_P(AnyRows, TellWhetherADeletionIsOwed) {
  auto is_owed = [&](const std::string& location, const std::string& uuid) {
    return ReadOne(*store_, [&](Reader& r) { return r.IsDeletionOwed(location, uuid); });
  };
  EXPECT_THAT(is_owed("m", "u"), IsOkAndHolds(false));
  ASSERT_THAT(store_->Write([](Writer& w) { return w.OweDeletion("m", "u", 1); }, NeverAsked),
              IsOk());
  ASSERT_THAT(store_->Sibling("other")->Write([](Writer& w) { return w.OweDeletion("n", "", 1); },
                                              NeverAsked),
              IsOk());
  EXPECT_THAT(is_owed("m", ""), IsOkAndHolds(true));
  EXPECT_THAT(is_owed("x", "u"), IsOkAndHolds(true));
  EXPECT_THAT(is_owed("n", "v"), IsOkAndHolds(true));
  EXPECT_THAT(is_owed("x", ""), IsOkAndHolds(false));
  auto owing = ReadOne(*store_, [&](Reader& r) { return r.ListOwingCatalogs(); });
  EXPECT_THAT(owing,
              IsOkAndHolds(::testing::UnorderedElementsAre(store_->catalog_name(), "other")));
}

TEST_P(AnyRows, OfAllCatalogsAreVisited) {
  ASSERT_THAT(InsertNamespace({"a"}), IsOk());
  ASSERT_THAT(InsertTable({"a"}, "t"), IsOkAndHolds(true));
  ASSERT_THAT(InsertEntry({{"b"}, "v"}, {EntryKind::kView, "m/v"}), IsOkAndHolds(true));
  ASSERT_THAT(store_->Sibling("other")->Write(
                  [](Writer& w) -> Status {
                    BERGLITE_RETURN_IF_ERROR(w.PutFunction({{"a"}, "f"}, "m/f"));
                    BERGLITE_RETURN_IF_ERROR(w.OweDeletion("m/o", "", 1));
                    return w.InsertEntry({{"a"}, "u"}, {EntryKind::kTable, "m/u"}).has_value()
                               ? Status()
                               : Error{};
                  },
                  NeverAsked),
              IsOk());
  Names live;
  Names owed;
  Status visited = store_->Read([&](Reader& r) {
    return r.VisitPointers([&](PointerKind kind, const std::string& location) -> Status {
      (kind == PointerKind::kLive ? live : owed).push_back(location);
      return {};
    });
  });
  EXPECT_THAT(visited, IsOk());
  EXPECT_THAT(live, ::testing::UnorderedElementsAre("m/t", "m/v", "m/u", "m/f"));
  EXPECT_THAT(owed, ElementsAre("m/o"));
}

TEST_P(FileRows, AreWhatOtherCatalogsExpect) {
  ASSERT_THAT(InsertNamespace({"a", "b.c"}, {{"k", "v"}}), IsOk());
  ASSERT_THAT(InsertEntry({{"a"}, "t"}, {EntryKind::kTable, "m/0"}), IsOkAndHolds(true));
  ASSERT_THAT(InsertEntry({{"a", "b.c"}, "v"}, {EntryKind::kView, "m/v"}), IsOkAndHolds(true));
  ASSERT_THAT(Move({{"a"}, "t"}, EntryKind::kTable, "m/0", "m/1"), IsOkAndHolds(true));
  RawDatabase raw(path_);
  EXPECT_THAT(raw.Run("SELECT catalog_name, namespace, property_key, property_value "
                      "FROM iceberg_namespace_properties"),
              UnorderedElementsAre("default|a|exists|true",
                                   R"(default|__iceberg_namespace_v1__:["a","b.c"]|exists|true)",
                                   R"(default|__iceberg_namespace_v1__:["a","b.c"]|k|v)"));
  EXPECT_THAT(
      raw.Run("SELECT * FROM iceberg_tables"),
      UnorderedElementsAre("default|a|t|m/1|m/0|TABLE",
                           R"(default|__iceberg_namespace_v1__:["a","b.c"]|v|m/v|NULL|VIEW)"));
}

TEST_P(FileRows, OfOtherCatalogsInTheFileAreNotSeen) {
  RawDatabase raw(path_);
  raw.Run("INSERT INTO iceberg_tables VALUES ('other', 'ns', 't', 'm', NULL, 'TABLE')");
  raw.Run("INSERT INTO iceberg_namespace_properties VALUES ('other', 'ns2', 'exists', 'true')");
  EXPECT_THAT(Children({}), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Entries({"ns"}), IsOkAndHolds(IsEmpty()));
  EXPECT_EQ(Describe({{"ns"}, "t"}), "none");
  EXPECT_THAT(Exists({"ns2"}), IsOkAndHolds(false));
}

TEST_P(FileRows, WithoutAKindAreTablesAndGetItOnCommit) {
  RawDatabase raw(path_);
  raw.Run("INSERT INTO iceberg_tables VALUES ('default', 'ns', 't', 'm/0', NULL, NULL)");
  EXPECT_EQ(Describe({{"ns"}, "t"}), "table m/0");
  EXPECT_THAT(Entries({"ns"}), IsOkAndHolds(ElementsAre("t")));
  EXPECT_EQ(Count({"ns"}).tables, 1);
  EXPECT_THAT(Move({{"ns"}, "t"}, EntryKind::kView, "m/0", "m/1"), IsOkAndHolds(false));
  EXPECT_THAT(Move({{"ns"}, "t"}, EntryKind::kTable, "m/0", "m/1"), IsOkAndHolds(true));
  EXPECT_THAT(raw.Run("SELECT * FROM iceberg_tables"), ElementsAre("default|ns|t|m/1|m/0|TABLE"));
}

TEST_P(FileRows, OfAnUnknownKindBlockTheirNameAndNamespaceOnly) {
  RawDatabase raw(path_);
  raw.Run("INSERT INTO iceberg_tables VALUES ('default', 'ns', 'f', 'm', NULL, 'FUNC')");
  EXPECT_EQ(Describe({{"ns"}, "f"}), "other m");
  EXPECT_THAT(InsertTable({"ns"}, "f"), IsOkAndHolds(false));
  EXPECT_THAT(Entries({"ns"}), IsOkAndHolds(IsEmpty()));
  EXPECT_EQ(Count({"ns"}).tables, 1);
}

// SQLite keeps a blob as such in a column of text, after all texts: a search that asks for the next
// name would meet it for ever.
TEST_P(FileRows, WhoseNamesAreBlobsArePassedOver) {
  RawDatabase raw(path_);
  raw.Run("INSERT INTO iceberg_tables VALUES (x'00ff', 'ns', 'a', 'm', NULL, 'TABLE')");
  raw.Run("INSERT INTO iceberg_tables VALUES ('default', x'6e73', 'b', 'm', NULL, 'TABLE')");
  raw.Run("INSERT INTO iceberg_tables VALUES ('default', 'ns', x'63', 'm', NULL, 'TABLE')");
  ASSERT_THAT(InsertTable({"ns"}, "d"), IsOkAndHolds(true));
  EXPECT_THAT(Entries({"ns"}), IsOkAndHolds(ElementsAre("d")));
  EXPECT_THAT(Entries({"ns"}, EntryKind::kTable, "d", 5), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(Children({}), IsOkAndHolds(ElementsAre("ns")));
  auto again = Store::Open(path_, {});
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ((*again)->catalog_name(), "default");
}

// A namespace of no text and broken encodings: what berglite never writes must not stop a listing.
TEST_P(FileRows, OfNamespacesThatCannotBeNamedArePassedOver) {
  RawDatabase raw(path_);
  for (const char* text : {"", "__iceberg_namespace_v1__:[1]", "__iceberg_namespace_v1__:[\"a\"",
                           "__iceberg_namespace_v1__:x"}) {
    raw.Run("INSERT INTO iceberg_tables VALUES ('default', '" + std::string(text) +
            "', 't', 'm', NULL, 'TABLE')");
  }
  ASSERT_THAT(InsertNamespace({"z.z"}), IsOk());
  ASSERT_THAT(InsertNamespace({"zz"}), IsOk());
  EXPECT_THAT(Children({}), IsOkAndHolds(ElementsAre("z.z", "zz")));
}

// -- Principals -----------------------------------------------------------------------------------

PrincipalRecord SomePrincipal(const std::string& name) {
  return {.name = name,
          .secret_hash = "hash",
          .generation = "g1",
          .read_only = true,
          .created_ms = 1'700'000'000'000};
}

TEST(Principals, AreOfTheFileWhicheverCatalogIsOpen) {
  TempDir dir;
  auto one = OpenOrDie(dir / "lake.db", {.catalog_name = "one"});
  auto two = OpenOrDie(dir / "lake.db", {.catalog_name = "two"});
  auto insert = [](Writer& writer) { return writer.InsertPrincipal(SomePrincipal("b")); };
  EXPECT_THAT(WriteOne(*one, insert), IsOkAndHolds(true));
  EXPECT_THAT(WriteOne(*two, insert), IsOkAndHolds(false));
  EXPECT_THAT(WriteOne(*two, [](Writer& w) { return w.InsertPrincipal(SomePrincipal("a")); }),
              IsOkAndHolds(true));
  EXPECT_THAT(ReadOne(*two, [](Reader& reader) { return reader.FindPrincipal("b"); }),
              IsOkAndHolds(Optional(SomePrincipal("b"))));
  EXPECT_THAT(ReadOne(*one, [](Reader& reader) { return reader.ListPrincipals(); }),
              IsOkAndHolds(ElementsAre(SomePrincipal("a"), SomePrincipal("b"))));
}

TEST(Principals, ChangeAndGoByName) {
  auto store = OpenOrDie(":memory:");
  EXPECT_THAT(WriteOne(*store, [](Writer& w) { return w.InsertPrincipal(SomePrincipal("a")); }),
              IsOkAndHolds(true));
  EXPECT_THAT(WriteOne(*store, [](Writer& w) { return w.SetPrincipalSecret("a", "h2", "g2"); }),
              IsOkAndHolds(true));
  PrincipalRecord changed = SomePrincipal("a");
  changed.secret_hash = "h2";
  changed.generation = "g2";
  EXPECT_THAT(ReadOne(*store, [](Reader& reader) { return reader.FindPrincipal("a"); }),
              IsOkAndHolds(Optional(changed)));
  EXPECT_THAT(WriteOne(*store, [](Writer& w) { return w.SetPrincipalSecret("A", "h", "g"); }),
              IsOkAndHolds(false));
  EXPECT_THAT(WriteOne(*store, [](Writer& w) { return w.DeletePrincipal("A"); }),
              IsOkAndHolds(false));
  EXPECT_THAT(WriteOne(*store, [](Writer& w) { return w.DeletePrincipal("a"); }),
              IsOkAndHolds(true));
  EXPECT_THAT(ReadOne(*store, [](Reader& reader) { return reader.FindPrincipal("a"); }),
              IsOkAndHolds(Eq(std::nullopt)));
}

TEST(SigningKey, IsTheFirstOneForEver) {
  auto store = OpenOrDie(":memory:");
  auto find = [](Reader& reader) { return reader.FindSigningKey(); };
  EXPECT_THAT(ReadOne(*store, find), IsOkAndHolds(Eq(std::nullopt)));
  for (const char* key : {"first", "second"}) {
    EXPECT_THAT(
        store->Write([key](Writer& writer) { return writer.InsertSigningKey(key); }, NeverAsked),
        IsOk());
    EXPECT_THAT(ReadOne(*store, find), IsOkAndHolds(Optional(Eq("first"))));
  }
}

}  // namespace
}  // namespace berglite::store
