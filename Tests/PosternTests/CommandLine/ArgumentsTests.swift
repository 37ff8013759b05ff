import Foundation
import GatewayKit
import TestSupport
import Testing

@testable import postern

struct ArgumentsTests {
  private struct Draft: Sendable {
    var port: Int?
    var hold: Duration?
    var echoes = false
    var hosts: [Arguments.Value] = []
    var share: Double?
  }

  @OptionList<Draft>
  private static var options: [Option<Draft>] {
    Option("port", "N", "a port", \.port, .int(0...65535))
    Option("hold", "DURATION", "a time", \.hold, .duration)
    Option("echo", "a switch", \.echoes)
    Option("host", "ADDRESS", "addresses", each: \.hosts)
    Option("share", "SHARE", "a share", \.share, .share)
  }

  private func arguments(
    _ words: [String], environment: [String: String] = [:], operands: Bool = false
  ) throws -> Arguments {
    try Arguments(
      words, flags: Self.options.map(\.flag), environment: environment, operands: operands, among: Postern.commands)
  }

  private func read(_ words: [String], environment: [String: String] = [:]) throws -> Draft {
    var draft = Draft()
    try arguments(words, environment: environment).read(Self.options, into: &draft)
    return draft
  }

  /// Returns the error for a wrong command line.
  private func complaint(_ words: [String], environment: [String: String] = [:]) -> String {
    do {
      _ = try read(words, environment: environment)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test
  func `values come behind the flag or an equals sign, and repeated flags gather theirs`() throws {
    let draft = try read(["--port", "80", "--hold=1.5m", "--echo", "--host", "a", "--host=b", "--share", "10%"])
    #expect(draft.port == 80 && draft.hold == .seconds(90) && draft.echoes && draft.share == 0.1)
    #expect(draft.hosts.map(\.text) == ["a", "b"])
  }

  @Test
  func `an option that is not given is nil, and a switch is off`() throws {
    let draft = try read([])
    #expect(draft.port == nil && draft.hold == nil && !draft.echoes && draft.hosts.isEmpty)
  }

  @Test
  func `the command line overrides the environment, and the environment overrides the file`() throws {
    let file = try TemporaryFile(
      """
      // comments are allowed
      { "port": 1, "hold": "3s", "host": ["x", "y"], "echo": true, }
      """)
    let draft = try read(
      ["--port", "3", "--config", file.path], environment: ["POSTERN_PORT": "2", "POSTERN_HOLD": "2s"])
    #expect(draft.port == 3 && draft.hold == .seconds(2) && draft.echoes)
    #expect(draft.hosts.map(\.text) == ["x", "y"])
  }

  @Test
  func `a repeated flag in the environment is separated by commas`() throws {
    #expect(try read([], environment: ["POSTERN_HOST": "a,b"]).hosts.map(\.text) == ["a", "b"])
  }

  @Test
  func `an unknown flag is also compared with the flags of other commands`() {
    let error = #expect(throws: UsageError.self) {
      try Arguments(
        ["conform", "--journal", "x"], flags: ControlCommand.flags, environment: [:], operands: true,
        among: Postern.commands)
    }
    #expect(error?.description == "--journal: no flag of this command, but of postern serve; did you mean --journals?")
  }

  @Test(arguments: [
    ([String](), ControlCommand.flags, "--control-url", "; did you mean --url?"),
    ([], StormCommand.flags, "--to", "but of postern proxy; did you mean --url?"),
    ([], ProxyCommand.flags, "--url", "; did you mean --to?"),
    ([], ControlCommand.flags, "--secret-file", "; did you mean --control-secret-file?"),
    ([], ServeCommand.flags, "--ttl", "--ttl: no such flag; did you mean --token-life?"),
    ([], TokenMintCommand.flags, "--kid", "--kid: no such flag; did you mean --key-id?"),
    ([], ReportShowCommand.flags, "--control-url", "--control-url: no flag of this command, but of postern storm"),
  ])
  func `the error for another command's word for a flag names this command's own`(
    words: [String], flags: [Flag], flag: String, expected: String
  ) throws {
    let error = #expect(throws: UsageError.self) {
      try Arguments(
        words + [flag, "x"], flags: flags, environment: [:], operands: true, among: Postern.commands)
    }
    #expect(try #require(error).description.hasSuffix(expected), "\(error?.description ?? "")")
  }

  @Test
  func `a file with another command's key is refused with this command's own`() throws {
    let file = try TemporaryFile("{\"control-url\": \"http://127.0.0.1:8081\"}")
    let error = #expect(throws: UsageError.self) {
      try Arguments(
        ["--config", file.path], flags: ControlCommand.flags, environment: [:], operands: true,
        among: Postern.commands)
    }
    #expect(try #require(error).description.hasSuffix("but of postern storm; did you mean 'url'?"))
  }

  @Test
  func `a storm that is given a control port as its gateway is told which flag takes it`() throws {
    let arguments = try Arguments(
      ["--url", "http://127.0.0.1:8081"], flags: StormCommand.flags, environment: [:], operands: false,
      among: Postern.commands)
    let error = #expect(throws: UsageError.self) { _ = try StormOptions(arguments, part: nil) }
    #expect(try #require(error).description.hasSuffix("; a control port's address is for --control-url"))
  }

  @Test(arguments: [
    (["--port", "65536"], "--port: '65536' is wrong; expected a whole number from 0 to 65535"),
    (["--port", "x"], "--port: 'x' is wrong; expected a whole number from 0 to 65535"),
    (["--hold", "5"], "--hold: '5' is wrong; expected a duration with its unit, as 500ms, 60s, 10m or 24h"),
    (["--hold", "-1s"], "--hold: '-1s' is wrong; expected a duration with its unit, as 500ms, 60s, 10m or 24h"),
    (["--share", "2"], "--share: '2' is wrong; expected a share from 0 to 1, or from 0% to 100%"),
    (["--port"], "--port needs a value: N"),
    (["--echo=1"], "--echo is a switch and takes no value"),
    (["--port", "1", "--port", "2"], "--port is given twice"),
    (["--prot", "1"], "--prot: no such flag; did you mean --port?"),
    (["-port", "1"], "-port: no such flag; did you mean --port?"),
    (["--zebra", "1"], "--zebra: no such flag"),
    (
      ["--clients", "1"],
      "--clients: no flag of this command, but of postern storm, postern simulate plan, postern simulate"
    ),
    (["--por", "1"], "--por: no such flag; did you mean --port?"),
    (["-x"], "-x: no such flag"),
    (["stray"], "'stray' is unexpected: this command takes flags only"),
    (["--config", "/nowhere"], "--config: '/nowhere' does not exist"),
  ])
  func `a wrong value is refused, and the error names its key, the value and what would be right`(
    words: [String], expected: String
  ) {
    #expect(complaint(words) == expected)
  }

  @Test
  func `a wrong value from the environment is refused under the variable's name`() {
    #expect(
      complaint([], environment: ["POSTERN_PORT": "none"])
        == "POSTERN_PORT: 'none' is wrong; expected a whole number from 0 to 65535")
  }

  @Test(arguments: [
    ("{\"prot\": 1}", "1:2: 'prot': no such key; did you mean 'port'?"),
    (
      "{\n  // a comment\n  \"zebra\": 1\n}",
      "3:3: 'zebra': no such key; the keys are the flags' names without dashes"
    ),
    ("{\"--port\": 1}", "1:2: '--port': no such key; did you mean 'port'?"),
    ("{\"clients\": 1}", "1:2: 'clients' is no flag of this command, but of postern storm"),
    ("{\"config\": \"x\"}", "1:2: 'config' may not stand in a file of flags"),
    ("{\"confg\": 1}", "1:2: 'confg': no such key; the keys are the flags' names without dashes"),
    ("{\"port\": [1, 2]}", "1:2: 'port' takes one value, no array"),
    (
      "{\n  \"hold\": \"1s\",\n  \"port\": 65536 }", "3:11: port: '65536' is wrong; expected a whole number from 0 to"
    ),
    ("{\"hold\":\r\n 5}", "2:2: hold: '5' is wrong; expected a duration with its unit"),
    ("{\"echo\": \"maybe\"}", "1:10: echo: 'maybe' is wrong; expected true or false"),
  ])
  func `a configuration file with a wrong key or value is refused with the file's name, line and column`(
    text: String, expected: String
  ) throws {
    let file = try TemporaryFile(text)
    let complaint = complaint(["--config", file.path])
    #expect(complaint.hasPrefix("\(file.path):\(expected)"), "\(complaint)")
  }

  @Test
  func
    `a configuration file from the environment may hold flags of other commands, and one from the command line may not`()
    throws
  {
    let file = try TemporaryFile("{\"port\": 5, \"clients\": 7}")
    #expect(try read([], environment: ["POSTERN_CONFIG": file.path]).port == 5)
    #expect(complaint(["--config", file.path]).contains("but of postern storm"))
    let wrong = try TemporaryFile("{\"prot\": 5}")
    #expect(complaint([], environment: ["POSTERN_CONFIG": wrong.path]).contains("did you mean 'port'?"))
  }

  @Test(arguments: [
    ("POSTERN_PROT", "POSTERN_PROT: no command reads this variable; did you mean POSTERN_PORT?"),
    ("POSTERN_REFRESH_TIMOUT", "no command reads this variable; did you mean POSTERN_REFRESH_TIMEOUT?"),
    ("POSTERN_ZEBRA", "POSTERN_ZEBRA: no command reads this variable"),
    ("POSTERN_", "POSTERN_: no command reads this variable"),
    ("POSTERN_HELP", "POSTERN_HELP: no command reads this variable"),
  ])
  func `a variable that no command reads is refused, and the error suggests a similar one`(
    name: String, expected: String
  ) {
    #expect(complaint([], environment: [name: "1"]).hasSuffix(expected))
  }

  @Test(arguments: [
    ("POSTERN_HTTP_URL", "x"), ("POSTERN_TOKEN_URL", "x"), ("POSTERN_TOKEN", "x"), ("POSTERN_TOKEN_SCHEME", "x"),
    ("POSTERN_API_KEY", "x"), ("POSTERN_CLIENTS", "5"), ("POSTERN_SECRET_FILE", "x"), ("POSTERN", "x"),
    ("MY_POSTERN_PORT", "x"),
    ("POSTERN_SERVICE_HOST", "10.0.0.1"), ("POSTERN_SERVICE_PORT", "8080"), ("POSTERN_SERVICE_PORT_HTTP", "8080"),
    ("POSTERN_PORT_8080_TCP", "tcp://10.0.0.1:8080"), ("POSTERN_PORT_8080_TCP_ADDR", "10.0.0.1"),
    ("POSTERN_CONTROL_SERVICE_HOST", "10.0.0.1"), ("POSTERN_CONTROL_PORT", "tcp://10.0.0.1:8081"),
    ("POSTERN_PORT", "tcp://10.0.0.1:8080"),
  ])
  func `variables of other commands, of conformance runs, of other programs and of Kubernetes are ignored`(
    name: String, value: String
  ) throws {
    #expect(try read([], environment: [name: value]).port == nil)
  }

  @Test
  func `an argument behind two dashes is no flag`() throws {
    #expect(try arguments(["a", "--", "--port"], operands: true).operands == ["a", "--port"])
  }

  @Test(arguments: [
    ("500ms", Duration.milliseconds(500)), ("60s", .seconds(60)), ("1.5m", .seconds(90)), ("24h", .seconds(86400)),
    ("30d", .seconds(2_592_000)), ("0", .zero), ("10us", .microseconds(10)),
  ])
  func `durations are a number and a unit`(text: String, duration: Duration) {
    #expect(DurationText.parse(text) == duration)
  }

  @Test(arguments: ["", "s", "1", "1 s", "x1s", "infs", "nans", "1e400s", "2000000d"])
  func `text without a number and a unit is no duration`(text: String) {
    #expect(DurationText.parse(text) == nil)
  }
}
