/// An order without members, e.g. `POST /users/ann/expire`.
package struct NoMembers: ControlOrder {
  package static let form = "without members"

  package enum CodingKeys: CodingKey, CaseIterable {}

  package init() {}
}
