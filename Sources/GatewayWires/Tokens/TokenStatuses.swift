/// The meanings of an endpoint's statuses.
struct TokenStatuses: Hashable, Sendable {
  private(set) var busy: Set<Int> = [429, 503]
  private(set) var refused: Set<Int> = [400, 401, 403]

  init(_ described: Described?) throws(DescriptionError) {
    guard let described else { return }
    let statuses = try described.object(["busy", "refused"])
    if let busy = statuses["busy"] { self.busy = try Self.list(busy) }
    if let refused = statuses["refused"] { self.refused = try Self.list(refused) }
    guard let both = busy.intersection(refused).min() else { return }
    throw described.error("\(both) stands under \"busy\" and \"refused\"; remove one")
  }

  private static func list(_ described: Described) throws(DescriptionError) -> Set<Int> {
    Set(
      try described.oneOrMore().map { (status) throws(DescriptionError) in
        let number = try status.integer(in: 200...599)
        guard number >= 400 else { throw status.error("\(number) is no failure; expected 400 to 599") }
        return number
      })
  }
}
