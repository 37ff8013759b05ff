internal import GatewayCore
internal import GatewayTokens

/// The `filter_conditions` of a query for members: by `user_id` and `role`, with `$eq` and `$in`.
struct StreamMemberFilter: Sendable {
  private var users: Set<String>?
  private var roles: Set<String>?

  init(_ body: StreamBody) throws(StreamError) {
    for (name, value) in body.view.members ?? [] {
      switch name {
      case "user_id": users = try Self.values(value, name)
      case "role": roles = try Self.values(value, name)
      default: throw .input("filter_conditions: there is no field \(name)", field: "filter_conditions")
      }
    }
  }

  private static func values(_ value: JSONView, _ name: String) throws(StreamError) -> Set<String> {
    if let text = value.string ?? value["$eq"]?.string { return [text] }
    let elements = value["$in"]?.elements ?? []
    let texts = elements.compactMap(\.string)
    guard !elements.isEmpty, texts.count == elements.count, texts.count <= 1000 else {
      throw .input("filter_conditions: \(name) is compared with $eq or $in", field: "filter_conditions")
    }
    return Set(texts)
  }

  func holds(for member: StreamCallMember) -> Bool {
    (users?.contains(member.user.rawValue) ?? true) && (roles?.contains(member.role ?? "") ?? true)
  }
}
