/// The operands and the flags by name, from all sources, that a command was given.
package struct Arguments: Sendable {
  /// A value and its source as the user wrote it, e.g. `8080` of `POSTERN_PORT`.
  package struct Value: Sendable {
    package let text: String
    package let source: String
    /// The place where files that the value names are read.
    package let files: Files

    /// The origin of a value, which decides how a file name in it is used.
    package enum Files: Hashable, Sendable {
      /// The operator's command line, environment or file: the name is a path on this machine.
      case local
      /// An order from another client: no path is opened. `content` is the file's content, if the order has one.
      case order(content: [UInt8]?)
    }

    package init(text: String, source: String, files: Files = .local) {
      self.text = text
      self.source = source
      self.files = files
    }
  }

  package var operands: [String] = []
  /// The given values of each flag, in their order.
  package var given: [String: [Value]] = [:]
  /// The known flags.
  package let flags: [String: Flag]

  package init(flags: [Flag]) {
    self.flags = Dictionary(uniqueKeysWithValues: flags.map { ($0.name, $0) })
  }
}

// Values as types.

extension Arguments.Value {
  package func isOn() throws -> Bool {
    switch text.lowercased() {
    case "true", "1", "yes", "on": return true
    case "false", "0", "no", "off": return false
    default: throw UsageError(source, value: text, expected: "true or false")
    }
  }

  package func int(in range: ClosedRange<Int>) throws -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        source, value: text, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  package func number(in range: ClosedRange<Double>) throws -> Double {
    guard let number = Double(text), range.contains(number) else {
      throw UsageError(source, value: text, expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns a share, written `0.1` or `10%`.
  package func share() throws -> Double {
    guard let share = Share.parse(text) else {
      throw UsageError(source, value: text, expected: "a share from 0 to 1, or from 0% to 100%")
    }
    return share
  }

  /// Returns a duration with its unit, written `500ms`, `60s`, `10m`, `24h` or `30d`.
  package func duration() throws -> Duration {
    guard let duration = DurationText.parse(text) else {
      throw UsageError(source, value: text, expected: "a duration with its unit, as 500ms, 60s, 10m or 24h")
    }
    return duration
  }

  /// Returns the value as one of a few words.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>() throws -> Choice {
    guard let choice = Choice(rawValue: text) else {
      throw UsageError(source, value: text, expected: Choice.allCases.map(\.rawValue).joined(separator: " or "))
    }
    return choice
  }

  /// Returns the secret in the file that the value names.
  package func secret() throws -> String { try SecretFile.read(text, of: self) }

  /// Returns the error that the flag has no meaning when `flag` has the value `choice`.
  package func meaningless(with flag: String, _ choice: String) -> UsageError {
    UsageError("\(source) has no effect with --\(flag) \(choice); leave it out")
  }
}

// Only an option reads its flag, so that no flag is read by its name elsewhere.

extension Arguments {
  /// Returns the sources of the flag's values, as errors name them.
  package func sources(of flag: Flag) -> [String] { (given[flag.name] ?? []).map(\.source) }

  /// Returns the values of the option's flag, in their order.
  package func values<Settings>(of option: Option<Settings>) -> [Value] { given[option.flag.name] ?? [] }

  /// Throws if one of these flags is given, which have no meaning when `flag` has the value `choice`.
  package func refuse(_ names: [String], with flag: String, _ choice: String) throws {
    for name in names {
      guard let value = given[name]?.last, value.text != "false" else { continue }
      throw value.meaningless(with: flag, choice)
    }
  }

  /// Returns the only operand; nil if there is none.
  package func operand() throws -> String? {
    guard operands.count <= 1 else { throw UsageError("'\(operands[1])' is unexpected: one operand at most") }
    return operands.first
  }
}
