import Foundation
import Testing

/// A call that only certain files may make, because it is their purpose.
private struct Ban {
  var name: String
  /// The words of which a line must contain one before the slow pattern is tried.
  var words: [String]
  var pattern: Regex<Substring>
  var instead: String
  var allowed: Set<String> = []

  /// Returns whether the line makes the call. `\b` is a boundary between letters and anything else, as in other
  /// languages.
  func isBroken(by line: String) -> Bool {
    words.contains { line.contains($0) } && line.contains(pattern.wordBoundaryKind(.simple))
  }
}

struct TidyTests {
  /// Returns the rules: time and randomness are parameters, tasks stay on their loop, and libraries print nothing.
  private static func bans() -> [Ban] {
    [
      Ban(
        name: "Date()", words: ["Date", "CFAbsolute"], pattern: #/\bDate\(\)|\bNSDate\b|\bCFAbsoluteTime/#,
        instead: "take the time from the loop: EventLoop.now and EventLoop.wallTime"),
      Ban(
        name: "a clock", words: ["Clock", "DispatchTime", "DispatchWall"],
        pattern: #/\b(?:ContinuousClock|SuspendingClock|DispatchTime|DispatchWallTime)\b/#,
        instead: "take the time from the loop: EventLoop.now and EventLoop.wallTime",
        allowed: [
          // A Redis server forgets by its own time.
          "Tests/GatewayStoresTests/StoreContract.swift"
        ]),
      Ban(
        name: "clock_gettime", words: ["gettime"], pattern: #/\bclock_gettime\b|\bgettimeofday\b/#,
        instead: "take the time from the loop: EventLoop.now and EventLoop.wallTime",
        allowed: [
          "Sources/GatewayServer/Loop/SocketLoopDriver.swift", "Sources/GatewayProcess/Service/SystemTime.swift",
        ]),
      Ban(
        name: ".random( without a generator", words: [".random", ".shuffle"],
        pattern: #/\.(?:random|shuffled?|randomElement)\((?!.*using:)/#,
        instead: "draw from a SeededGenerator, or from the loop: EventLoop.nextShare()"),
      Ban(
        name: "SystemRandomNumberGenerator", words: ["SystemRandom"], pattern: #/\bSystemRandomNumberGenerator\b/#,
        instead: "take a seed as a parameter",
        allowed: [
          "Sources/GatewayServer/Loop/SocketLoop.swift", "Sources/GatewaySpace/Space.swift",
          // Distinguishes processes, and orders nothing.
          "Sources/GatewayKit/Store/StoreCommitID.swift",
          // Distinguishes storms in the logs of others.
          "Sources/postern/Storm/StormOptions.swift",
          // Distinguishes proxies in the fields of requests.
          "Sources/postern/Proxy/ProxyOptions.swift",
        ]),
      Ban(
        name: "SecureRandom", words: ["SecureRandom"], pattern: #/\bSecureRandom\.bytes\b/#,
        instead: "take it from the ground's secrets, so that a run in virtual time repeats itself",
        allowed: [
          "Sources/GatewayTokens/Opaque/Secrets.swift",
          // Keys for a command without given ones.
          "Sources/PosternTesting/PlainKeys.swift", "Sources/postern/Token/TokenBenchCommand.swift",
        ]),
      Ban(
        name: "the system's secrets", words: [".system"],
        pattern: #/\bSecrets\.system\b|\b(?:secrets|from|drawing): (?:Secrets = )?\.system\b/#,
        instead: "take the ground's secrets, so that a run in virtual time repeats itself",
        allowed: [
          // The random source of a space outside of virtual time.
          "Sources/GatewaySpace/SpaceSettings.swift",
          // Commands, and keys of spaces on sockets.
          "Sources/postern/Serve/SpaceOptions.swift",
          // Names of sessions with a proxy's dashboard.
          "Sources/postern/Proxy/ProxyControlOptions.swift",
          // Tokens of a storm that is their issuer.
          "Sources/postern/Storm/IssuerOptions.swift",
        ]),
      Ban(
        name: "InputFile.readLocal(", words: ["readLocal("], pattern: #/\bInputFile\.readLocal\(/#,
        instead:
          "read the file of an option with InputFile.read(_:of:sizeMax:), which opens no path that an order names",
        allowed: [
          // A file beside a description, which a storm reads.
          "Sources/GatewayWires/Tokens/TokenDescription.swift",
          // Operands of a command, and its own files.
          "Sources/postern/CommandLine/Configuration/ConfigurationFile.swift",
          "Sources/postern/Control/ReplayCommand.swift", "Sources/postern/Control/SpaceActions.swift",
          "Sources/postern/Descriptions/ShippedFiles.swift",
          "Sources/postern/Files/FilePath.swift", "Sources/postern/Report/ReportFile.swift",
          "Sources/postern/Scenario/ScenarioFile.swift", "Sources/postern/Wire/WireDraftCommand.swift",
          // Below the folder that the operator reserves for orders.
          "Sources/postern/Serve/SpaceFolder.swift",
          "Tests/GatewayKitTests/Options/InputFileTests.swift",
        ]),
      Ban(
        name: "a flag by its name", words: ["given[", "arguments."],
        pattern: #/\bgiven\["|\barguments\.\w+\("/#,
        instead: "declare an Option, and read it into a draft: Arguments.read(_:into:)",
        allowed: [
          // Gives flags to vendors' tests.
          "Tests/TestSupport/Arguments+Words.swift"
        ]),
      Ban(
        name: "pthread_self", words: ["pthread_self"], pattern: #/\bpthread_self\b/#,
        instead: "ask the loop: EventLoop.isCurrent; glibc lets the compiler cache pthread_self across a suspension"),
      Ban(
        name: "Task.detached", words: ["Task"], pattern: #/\bTask\.detached\b/#,
        instead: "start the task on its loop: Task.immediate(executorPreference: loop)"),
      Ban(
        name: "a task without its loop", words: ["Task"], pattern: #/\bTask(?:\.immediate)?\s*(?:\(\s*\))?\s*\{/#,
        instead: "Task.immediate(executorPreference: loop): without it a continuation resumes on the shared pool",
        allowed: [
          // A process waits for signals and its input on no loop.
          "Sources/GatewayProcess/Service/GatewayService.swift", "Sources/GatewayProcess/Service/Supervision.swift",
        ]),
      Ban(
        name: "sleeping", words: ["sleep"], pattern: #/\bTask\.sleep\b|\busleep\(|\bThread\.sleep\b|\bnanosleep\(/#,
        instead: "set a deadline: EventLoop.sleep(until:)"),
      Ban(
        name: "print(", words: ["rint(", "dump("], pattern: #/\b(?:print|debugPrint|dump)\(/#,
        instead: "write to the terminal in Sources/postern, to the log elsewhere",
        allowed: [
          // Prints how much it visited.
          "Tests/GatewayCoreTests/Session/Exploration/ExplorationTests.swift",
          // Prints the seed with which a text that ends the process can be repeated.
          "Tests/TestSupport/Fuzz/FuzzedGateway+Checks.swift",
          // Checks that nothing prints a secret.
          "Tests/GatewayCoreTests/Tokens/CredentialsTests.swift",
        ]),
    ]
  }

  private static let swift = Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests")

  @Test
  func `banned calls are only in the files that need them`() {
    let isExempt = { (path: String, ban: Ban) in
      ban.allowed.contains(path) || path.hasPrefix("Tests/HouseTests/")
        // Options and token tools create keys if none are given.
        || (["SecureRandom", "the system's secrets"].contains(ban.name)
          && (path.contains("/Options/") || path.hasSuffix("TokenTool.swift")))
        // Commands write to the terminal, and run on no loop.
        || (["print(", "a task without its loop"].contains(ban.name) && path.hasPrefix("Sources/postern/"))
    }
    for ban in Self.bans() {
      for file in Self.swift where !isExempt(file.path, ban) && ban.words.contains(where: { file.text.contains($0) }) {
        for (line, text) in file.code where ban.isBroken(by: text) {
          Issue.record("\(file.path):\(line) uses \(ban.name); \(ban.instead)")
        }
      }
      for path in ban.allowed {
        let file = Self.swift.first { $0.path == path }
        #expect(
          file?.code.contains { ban.isBroken(by: $0.text) } == true,
          "\(path) no longer uses \(ban.name): take it off the list")
      }
    }
  }

  @Test(arguments: [
    ("let now = Date()", 1), ("let x = Int.random(in: 0..<5)", 1), ("let x = Int.random(in: 0..<5, using: &g)", 0),
    ("Task { await go() }", 1), ("Task.immediate { await go() }", 1),
    ("Task.immediate(executorPreference: loop) { await go() }", 0), ("group.addTask { 1 }", 0),
    ("actor Task {", 1), ("print(x)", 1), ("footprint(x)", 0), ("ContinuousClock.now", 1), ("let date: Date", 0),
    ("secrets: Secrets = .system", 1), ("AccessToken.mint(from: .system)", 1),
    ("uname.system", 0), (#"try arguments.int("port", in: 1...9)"#, 1), (#"arguments.given["port"]"#, 1),
    ("try arguments.read(options, into: &draft)", 0), ("arguments.given[flag.name]", 0),
  ])
  func `the bans find exactly the banned calls`(line: String, count: Int) {
    #expect(Self.bans().count { $0.isBroken(by: line) } == count)
  }

  @Test
  func `every @unchecked Sendable states its reason next to it`() {
    for file in Self.swift where file.text.contains("@unchecked") {
      for (index, line) in file.lines.enumerated() {
        guard let attribute = line.range(of: "@unchecked Sendable") else { continue }
        // Only in code, not in a comment about it.
        if line[..<attribute.lowerBound].contains("//") { continue }
        let nearby = file.lines[max(0, index - 8)...min(file.lines.count - 1, index + 4)]
        let isSaid = nearby.contains { $0.contains("//") && $0.contains("nchecked") && !$0.contains("Sendable {") }
        let above = file.lines[max(0, index - 2)..<index]
        let isExplained = isSaid || above.contains { $0.contains("// ") && !$0.contains("///") }
        if !isExplained && !file.path.hasPrefix("Tests/HouseTests/") {
          Issue.record("\(file.path):\(index + 1) needs a comment next to it: `@unchecked Sendable`: and the reason")
        }
      }
    }
  }

  @Test
  func `no Swift source is longer than 350 lines, and no other file of code longer than 400`() {
    let documents = Repository.files(below: "Sources", extensions: ["c", "h"])
    for file in Self.swift + documents + Repository.files(below: "Tests", extensions: ["py"]) {
      let most = file.path.hasPrefix("Sources/") && file.path.hasSuffix(".swift") ? 350 : 400
      // The last line ends with a line feed.
      #expect(file.lines.count - 1 <= most, "\(file.path) is too long: give its parts files of their own")
    }
  }

  @Test
  func `nothing is left to do in the sources, and no file names a path of the machine it was written on`() {
    // In pieces, so that this file does not break its own rules.
    let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
    let paths = ["/wo" + "rk/", "/fa" + "rm/", "/home" + "/", "/Us" + "ers/", "/ro" + "ot/"]
    for file in Repository.files() where !file.path.hasPrefix("LICENSE") {
      let isSuspect = (words + paths).contains { file.text.contains($0) }
      for (index, line) in file.lines.enumerated() where isSuspect {
        for word in words
        where line.contains(word) && line.contains(try! Regex("\\b\(word)\\b").wordBoundaryKind(.simple)) {
          Issue.record("\(file.path):\(index + 1) says \(word): do it, or write it down where plans are kept")
        }
        for path in paths where line.contains(path) {
          Issue.record("\(file.path):\(index + 1) names \(path), a path of one machine")
        }
      }
    }
  }
}
