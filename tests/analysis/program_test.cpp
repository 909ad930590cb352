// The program as a user meets it: exit statuses, what is on stdout, and one clear line on stderr
// for bad input.
#include "tests/analysis/program.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "src/record/reader.hpp"
#include "tests/python.hpp"

namespace epochcast::analysis {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct BadInput {
  std::vector<std::string> words;
  int status;
  std::string message;  ///< All of stderr after the program's name; FOLDER stands for the test's.
};

TEST_F(Program, RefusesBadInputInOneLine) {
  const std::vector<BadInput> cases{
      {{"tabel", "lab", good()}, 2, "unknown subcommand 'tabel'; did you mean 'table'?"},
      {{"table"}, 2, "NAME ('table list' prints the names) is missing (see --help)"},
      {{"table", "lab"}, 2, "RECORDS... is missing (see --help)"},
      {{"predict", good(), "--epochs", "many"}, 2, "--epochs: found 'many', expected a number"},
      {{"predict", good(), "--epochs", "0"}, 2, "--epochs: found '0', expected a value >0"},
      {{"predict", good(), "--gpus", "2", "--cpus", "4"},
       2,
       "--gpus and --cpus are mutually exclusive"},
      {{"predict", good(), "--nodes", "2"}, 2, "--nodes: needs --gpus or --cpus"},
      {{"predict", good(), "--cpus", "5", "--nodes", "2"},
       2,
       "--cpus: 5 are not the same number on each of 2 nodes"},
      {{"predict", good(), "--from", "t4"}, 2, "--from: goes with --on or --crossover"},
      {{"predict", good(), "--cpus", "2", "--history", "x.csv"}, 2, "--history: goes with --on"},
      {{"predict", good(), "--crossover", "--epochs", "2"},
       2,
       "--epochs: cannot be combined with --crossover"},
      {{"predict", good(), "--on", "t4", "--crossover"},
       2,
       "--on: cannot be combined with --crossover"},
      {{"predict", good() + "/made.cpu2.b256.e1.r0-1.h5", "--on", "l4", "--from", "t4"},
       2,
       "--from t4: FOLDER/good/made.cpu2.b256.e1.r0-1.h5 was made on a CPU; give a file, made by "
       "epochcast-train measure-device on that machine"},
      {{"predict", good(), "--on", "v100_smx2"},
       2,
       "the device database has no device 'v100_smx2'; did you mean 'v100_sxm2'?"},
      {{"predict", good(), "--on", "NVIDIA RTX A5000 Laptop GPU"},
       2,
       "the device database has no device 'NVIDIA RTX A5000 Laptop GPU'; it is another card than "
       "rtx_a5000; give a file of 'epochcast-train measure-device -o FILE.yaml', which measures "
       "it, "
       "or add its datasheet to src/forecast/device/database"},
      {{"predict", good(), "--on", "t4"},
       2,
       "the record was made on a CPU, and the device database has no CPUs; give --from FILE, made "
       "by "
       "epochcast-train measure-device on that machine"},
      {{"table", "lba", good()}, 2, "unknown table 'lba'; did you mean 'lab'?"},
      {{"table", "lab", good(), "--format", "txet"},
       2,
       "unknown format 'txet'; did you mean 'text'?"},
      {{"table", "lab", good(), "--fromat", "csv"},
       2,
       "unknown option '--fromat'; did you mean 'format'?"},
      {{"table", "lab", good(), "--filter", "batch"},
       2,
       "--filter: found 'batch', expected name=value"},
      {{"table", "lab", good(), "--filter", "bacth=1"},
       2,
       "no record has 'bacth'; did you mean 'batch'?"},
      {{"table", "lab", good(), "--filter", "batch=1"},
       2,
       "--filter: no record obeys all conditions"},
      {{"table", "lab", good(), "--by", "bacth"},
       2,
       "no record has 'bacth'; did you mean 'batch'?"},
      {{"table", "lab", good(), "--part", "lbb"},
       2,
       "--part: no table 'lbb' here; did you mean 'lab'?"},
      {{"validate", "epochs", "x.csv"},
       2,
       "validate epochs: 'predict FILE --each K' forecasts each, and tests/bench/score.py "
       "scores that"},
      {{"predict", "FOLDER/empty.log", "--each", "2"},
       2,
       "FOLDER/empty.log:1: found nothing, expected a header line"},
      {{"predict", good(), "--each", "2", "--epochs", "5"},
       2,
       "--each: cannot be combined with --epochs"},
      {{"predict", good(), "--apart", "system"}, 2, "--apart: goes with --each"},
      {{"table", "lab", "FOLDER/nowhere"}, 2, "FOLDER/nowhere: no such file or folder"},
      {{"table", "lab", good(), "-o", "FOLDER/nowhere/x"},
       1,
       "FOLDER/nowhere/x: cannot be written: No such file or directory"},
      {{"import", "publisched", "lab", "-o", "x"},
       2,
       "unknown kind of import 'publisched'; did you mean 'published'?"},
      {{"import", "published", "lba", "-o", "x"},
       2,
       "no published figures are called 'lba'; did you mean 'lab'?"},
      {{"import", "published", "lab"}, 2, "--output is missing (see --help)"},
      {{"import", "lab_log", "FOLDER/nowhere", "-o", "x"},
       2,
       "FOLDER/nowhere: cannot be read: No such file or directory"},
      {{"import", "lab_log", "FOLDER/empty.log", "-o", "x"}, 1, "FOLDER/empty.log: no run in it"},
      {{"import", "published", "lab", "-o", "/proc/x"},
       1,
       "/proc/x: folder cannot be made: No such file or directory"},
      {{"import", "csv", "FOLDER/empty.log", "-o", "x", "--epochs", "0"},
       2,
       "--epochs: found '0', expected a value >=1"},
      {{"export", "wandb", good(), "-o", "x"},
       2,
       "the Python package does this now: epochcast.to_wandb(\"RECORDS\")"},
      {{"export", "cvs", good(), "-o", "x"},
       2,
       "unknown kind of export 'cvs'; did you mean 'csv'?"},
      {{"schema", "more"}, 2, "found 'more', expected no further words (see --help)"}};
  const auto named = [&](std::string text) {
    for (auto at = text.find("FOLDER"); at != std::string::npos; at = text.find("FOLDER")) {
      text.replace(at, 6, folder_.path());
    }
    return text;
  };
  for (auto bad : cases) {
    for (auto& word : bad.words) {
      word = named(word);
    }
    const auto result = analyze(bad.words);
    EXPECT_EQ(result.status, bad.status) << bad.message;
    EXPECT_THAT(result.out, IsEmpty()) << bad.message;
    const auto error = "epochcast-analyze: " +
                       std::string(bad.status == 1 && bad.words[1] == "lab_log" ? "" : "error: ");
    EXPECT_EQ(result.err, error + named(bad.message) + "\n");
  }
}

TEST_F(Program, NamesDamagedRecordsAndPrintsTheRest) {
  const auto result = analyze({"table", "lab", mixed(), "--format", "csv", "--part", "lab"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, analyze({"table", "lab", good(), "--format", "csv", "--part", "lab"}).out);
  EXPECT_THAT(result.err, HasSubstr("skipped: " + mixed() + "/cut.h5: "));
  EXPECT_THAT(result.err, HasSubstr("newer"));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 2);
}

TEST_F(Program, ExcludesARecordThatContradictsItselfAndPrintsTheRest) {
  const TemporaryFolder folder;
  std::filesystem::copy(good(), folder / "records", std::filesystem::copy_options::recursive);
  auto record = made_record({.allocation = "cpu2", .epochs = 5, .repeat = 9});
  record.epochs[1].wall_s = -5;
  record.header.job_id = "spoiled";
  const auto path = write_records({record}, folder / "records").front();
  const auto result =
      analyze({"table", "lab", folder / "records", "--format", "csv", "--part", "lab"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, analyze({"table", "lab", good(), "--format", "csv", "--part", "lab"}).out);
  EXPECT_THAT(result.err, HasSubstr("skipped: " + path + ": inconsistent: epochs.wall_s is -5"));
}

TEST_F(Program, FailsWhereNoRecordCanBeRead) {
  const auto result = analyze({"table", "lab", mixed() + "/cut.h5"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, ::testing::EndsWith("error: no record could be read\n"));
}

TEST_F(Program, VerifiesEachRecord) {
  const auto good_ones = analyze({"verify", good()});
  EXPECT_EQ(good_ones.status, 0) << good_ones.out;
  EXPECT_EQ(std::ranges::count(good_ones.out, '\n'), 2);
  const auto mixed_ones = analyze({"verify", mixed()});
  EXPECT_EQ(mixed_ones.status, 1);
  EXPECT_EQ(std::ranges::count(mixed_ones.out, '\n'), 4);
}

TEST_F(Program, SalvagesWhatIsDamagedAndLeavesTheRestAlone) {
  const auto path = good() + "/made.cpu2.b256.e5.r0-1.h5";
  set_bytes(path, bytes_of(path).substr(0, 1000));
  const auto result = analyze({"salvage", good()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, record::salvaged_path(path) + "\n");
  EXPECT_THAT(result.err, HasSubstr("nothing to salvage"));
  EXPECT_EQ(record::read_record(record::salvaged_path(path)).epochs.size(), 5u);
}

TEST_F(Program, PrintsTheSchema) {
  EXPECT_EQ(analyze({"schema"}).out,
            bytes_of(std::string(EPOCHCAST_SOURCE_DIR) + "/docs/reference/record.md"));
}

TEST_F(Program, CsvOnStdoutIsOneTableAndReportsWhichAreNot) {
  write_records({made_record({.allocation = "cpu4", .epochs = 5, .cpus = 4})}, good());
  const auto result = analyze({"table", "lab", good(), "--format", "csv"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, StartsWith("allocation,epochs,one_epoch_s,predicted_s,"));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 3);
  EXPECT_THAT(result.err,
              HasSubstr("not printed: cpu_ratios (--part NAME prints one, -o FILE writes all)"));
  EXPECT_THAT(analyze({"table", "lab", good(), "--format", "csv", "--part", "cpu_ratios"}).out,
              StartsWith("fast,slow,cpu_ratio,"));
  EXPECT_EQ(analyze({"table", "lab", good(), "--format", "csv", "-o", folder_ / "t.csv"}).status,
            0);
  EXPECT_EQ(bytes_of(folder_ / "t.csv"), result.out);
  EXPECT_THAT(bytes_of(folder_ / "t.cpu_ratios.csv"), StartsWith("fast,slow,cpu_ratio,"));
}

TEST_F(Program, FiltersByWhatTheRecordsHold) {
  write_records({made_record({.allocation = "cpu4"}), made_record({.allocation = "cpu8"})}, good());
  const auto two =
      analyze({"table", "lab", good(), "--format", "csv", "--part", "lab", "--filter",
               "allocation=cpu4", "--filter", "allocation=cpu8", "--filter", "epochs=1"});
  EXPECT_EQ(std::ranges::count(two.out, '\n'), 3);
  EXPECT_THAT(two.out, Not(HasSubstr("cpu2")));
}

TEST_F(Program, EverySubcommandHasHelpWithOneExample) {
  const auto overview = analyze({"--help"});
  EXPECT_EQ(overview.status, 0);
  for (const std::string command :
       {"table", "import", "export", "verify", "salvage", "schema", "list"}) {
    EXPECT_THAT(overview.out, HasSubstr("  " + command));
    const auto help = analyze({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, StartsWith("usage: epochcast-analyze " + command));
    EXPECT_THAT(help.out, HasSubstr("\nexample: epochcast-analyze " + command));
  }
  const auto nothing = analyze({});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.out, IsEmpty());
}

TEST_F(Program, ListNamesWhatThereIs) {
  const auto list = analyze({"list"}).out;
  for (const std::string entry : {"table    lab", "table    runs", "format   latex",
                                  "import   published", "export   csv", "device   v100s_pcie"}) {
    EXPECT_THAT(list, HasSubstr(entry));
  }
  EXPECT_THAT(list, Not(testing::ContainsRegex("[a-z]::[a-z]")));  // no name of the code
}

TEST_F(Program, FullStandardOutputIsAFailureInOneLine) {
  const auto words = std::string(EPOCHCAST_BINARY_DIR) + "/epochcast-analyze table runs " + good();
  const auto result = process::run_command({"bash", "-c", words + " > /dev/full"}, 60);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            "epochcast-analyze: error: cannot write to standard output: No space left on device\n");
}

TEST_F(Program, ExportsCsvThatPandasReadsWithoutOptions) {
  const auto result = analyze({"export", "csv", good(), "-o", folder_ / "csv"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, folder_ / "csv/epochs.csv\n" + folder_ / "csv/runs.csv\n");
  EXPECT_THAT(bytes_of(folder_ / "csv/epochs.csv"),
              StartsWith("record,point,allocation,source,outcome,epoch,start_s,wall_s,wait_s,"));
  EXPECT_EQ(std::ranges::count(bytes_of(folder_ / "csv/epochs.csv"), '\n'), 7);
  const auto python = tests::python_with("pandas");
  if (!python) {
    GTEST_SKIP() << "no Python with pandas on this machine";
  }
  set_bytes(folder_ / "read.py",
            "import pandas, sys\n"
            "epochs, runs = (pandas.read_csv(f'{sys.argv[1]}/{name}.csv') for name in ('epochs', "
            "'runs'))\n"
            "print(len(epochs), epochs.wall_s.sum(), len(runs), sorted(runs.total_s), "
            "sorted(runs['parameter.epochs']))\n");
  const auto read = process::run_command({*python, folder_ / "read.py", folder_ / "csv"}, 120);
  EXPECT_EQ(read.out, "6 62 2 [11, 51] [1, 5]\n") << read.err;
}

}  // namespace
}  // namespace epochcast::analysis
