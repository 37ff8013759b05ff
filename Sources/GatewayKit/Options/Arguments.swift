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

extension Arguments.Value {
  /// Returns the value as one of a few words.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>() throws -> Choice {
    guard let choice = Choice(rawValue: text) else {
      throw UsageError(source, value: text, expected: Choice.allCases.map(\.rawValue).joined(separator: " or "))
    }
    return choice
  }

  /// Returns the error that the flag has no meaning when `flag` has the value `choice`.
  package func meaningless(with flag: String, _ choice: String) -> UsageError {
    UsageError("\(source) says nothing to --\(flag) \(choice)")
  }
}

// Typed access to the values.

extension Arguments {
  /// Returns the last value of the flag.
  package func value(_ name: String) -> Value? {
    precondition(flags[name] != nil, "no flag --\(name)")
    return given[name]?.last
  }

  package func string(_ name: String) -> String? {
    value(name)?.text
  }

  package func strings(_ name: String) -> [String] {
    given[name]?.map(\.text) ?? []
  }

  package func values(_ name: String) -> [Value] {
    given[name] ?? []
  }

  package func isOn(_ name: String) throws -> Bool {
    guard let value = value(name) else { return false }
    switch value.text.lowercased() {
    case "true", "1", "yes", "on": return true
    case "false", "0", "no", "off": return false
    default: throw UsageError(value.source, value: value.text, expected: "true or false")
    }
  }

  package func int(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = Int(value.text), range.contains(number) else {
      throw UsageError(
        value.source, value: value.text, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  package func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = Double(value.text), range.contains(number) else {
      throw UsageError(
        value.source, value: value.text, expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns a share, written `0.1` or `10%`.
  package func share(_ name: String) throws -> Double? {
    guard let value = value(name) else { return nil }
    guard let share = Share.parse(value.text) else {
      throw UsageError(value.source, value: value.text, expected: "a share from 0 to 1, or from 0% to 100%")
    }
    return share
  }

  /// Returns a duration with its unit, written `500ms`, `60s`, `10m`, `24h` or `30d`.
  package func duration(_ name: String) throws -> Duration? {
    guard let value = value(name) else { return nil }
    guard let duration = DurationText.parse(value.text) else {
      throw UsageError(value.source, value: value.text, expected: "a duration with its unit, as 500ms, 60s, 10m or 24h")
    }
    return duration
  }

  package func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, _: Choice.Type) throws -> Choice?
  {
    try value(name)?.choice()
  }

  /// Returns the only operand; nil if there is none.
  package func operand() throws -> String? {
    guard operands.count <= 1 else { throw UsageError("'\(operands[1])' is unexpected: one operand at most") }
    return operands.first
  }
}
