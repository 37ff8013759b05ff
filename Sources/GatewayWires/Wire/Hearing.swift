internal import GatewayJSON

/// The values that a gateway takes from a client's message in order to repeat them: `"take": { "topic": "/topic" }`.
struct Hearing: Sendable {
  private let places: [(slot: Int, pointer: JSONPointer)]

  /// The maximum number of names that a description may take.
  private static let namesMax = 8

  init(_ described: Described?, _ names: HoleNames) throws(DescriptionError) {
    places =
      try described?.members().map { (entry) throws(DescriptionError) in
        (names.heardByGateway.firstIndex(of: entry.name) ?? 0, try JSONPointer(entry.value))
      } ?? []
  }

  /// The slots of its values.
  var slots: [Int] { places.map(\.slot) }

  /// Adds the names under which `described` takes values to `names`.
  static func collect(_ described: Described?, into names: inout [String]) throws(DescriptionError) {
    for (name, value) in try described?.members() ?? []
    where !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
      guard names.count < namesMax else { throw value.error("more than \(namesMax) different names are taken") }
      names.append(name)
    }
  }

  /// Notes the values at the pointers. A member that is missing or not a scalar is ignored.
  func take(from root: JSONView, into bindings: inout Bindings) {
    for (slot, pointer) in places {
      if let value = pointer.find(in: root)?.scalarText { bindings.note(value, in: slot) }
    }
  }
}
