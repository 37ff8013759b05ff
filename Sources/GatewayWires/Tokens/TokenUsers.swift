internal import GatewayCore

/// The names of clients: the rows of a CSV, the names of a list, or a pattern such as `load-{{number}}`.
struct TokenUsers: Sendable {
  private enum Source {
    case table(CSVTable, user: Int)
    case list([String])
    case template(Template)
  }

  private let source: Source
  /// The devices of a user, and the tabs of a device; nil if the description does not say.
  let sharers: (devices: Int, tabs: Int)?

  static let keys = ["csv", "user", "list", "template", "devices", "tabs"]

  /// Reads the users.
  ///
  /// - Parameter read: Returns the bytes of a file beside the description.
  init(_ described: Described?, read: (Described, Int) throws(DescriptionError) -> (String, [UInt8]))
    throws(DescriptionError)
  {
    guard let described else {
      source = .template(Template(literal: "storm-").with(.number))
      sharers = nil
      return
    }
    let users = try described.object(Self.keys)
    let devices = try users["devices"]?.integer(in: 1...1_000)
    let tabs = try users["tabs"]?.integer(in: 1...1_000)
    sharers = devices == nil && tabs == nil ? nil : (devices ?? 1, tabs ?? 1)
    let kinds = ["csv", "list", "template"].filter { users[$0] != nil }
    guard kinds.count == 1 else {
      throw described.error(
        kinds.isEmpty
          ? "names nobody; \"csv\": \"users.csv\", \"list\": [\"ann\"] or \"template\": \"load-{{number}}\""
          : "\(kinds.map { "\"\($0)\"" }.joined(separator: " and ")) are given; remove one")
    }
    if let user = users["user"], users["csv"] == nil {
      throw user.error("names the column of a \"csv\", and there is none")
    }
    if let csv = users["csv"] {
      let (path, bytes) = try read(csv, CSVTable.sizeMax)
      let table = try CSVTable(bytes, file: path)
      let user = try users.required("user", example: "\"\(table.columns[0])\", a column of \(path)")
      let name = try user.text()
      guard let column = table.columns.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        throw user.unknown(name, "column of \(path)", among: table.columns)
      }
      source = .table(table, user: column)
    } else if let list = users["list"] {
      let names = try list.elements().map { (element) throws(DescriptionError) in try element.text() }
      guard !names.isEmpty else { throw list.error("nobody is listed; expected names, as [\"ann\", \"bob\"]") }
      source = .list(names)
    } else {
      let template = try Template(
        users.required("template", example: "\"load-{{number}}\""), HoleNames(words: ["number"], columns: []))
      source = .template(template)
    }
    for name in everybody where name.isEmpty || name.utf8.count > UserID.lengthMax {
      throw described.error("a user's name has 1 to \(UserID.lengthMax) bytes, and one here has \(name.utf8.count)")
    }
  }

  /// The number of users; nil if it is not limited.
  var count: Int? {
    switch source {
    case .table(let table, _): table.rows.count
    case .list(let names): names.count
    case .template: nil
    }
  }

  /// The known columns, for `{{user.COLUMN}}`.
  var columns: [String] {
    if case .table(let table, _) = source { table.columns } else { [] }
  }

  private var everybody: [String] {
    switch source {
    case .table(let table, let user): table.rows.map { $0[user] }
    case .list(let names): names
    case .template: [name(of: 0)]
    }
  }

  /// Returns the name of client `number`: if there are fewer users, several clients share one.
  func name(of number: Int) -> String {
    switch source {
    case .table(let table, let user): table.rows[number % table.rows.count][user]
    case .list(let names): names[number % names.count]
    case .template(let template): (try? template.text(from: NumberSource(number: number))) ?? "storm-\(number)"
    }
  }

  func value(_ column: String, of number: Int) -> String? {
    guard case .table(let table, _) = source,
      let index = table.columns.firstIndex(where: { $0.utf8.elementsEqual(column.utf8) })
    else { return nil }
    return table.rows[number % table.rows.count][index]
  }

  /// Returns the secret columns of a user: all except the name.
  func secrets(of number: Int) -> [String] {
    guard case .table(let table, let user) = source else { return [] }
    return table.rows[number % table.rows.count].enumerated().filter { $0.offset != user }.map(\.element)
  }
}

/// The source of the number in the pattern of a user's name.
private struct NumberSource: HoleSource {
  let number: Int

  func value(of hole: Hole) -> String? { hole == .number ? "\(number)" : nil }
}
