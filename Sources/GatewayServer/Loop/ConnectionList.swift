/// A list of connections, e.g. of the idle ones, in the order in which they were added. It owns them; a connection is in at
/// most one list. Only on its loop.
final class ConnectionList {
  private(set) var first: LoopConnection?
  private unowned(unsafe) var last: LoopConnection?

  func append(_ connection: LoopConnection) {
    connection.previous = last
    if let last { last.next = connection } else { first = connection }
    last = connection
  }

  func remove(_ connection: LoopConnection) {
    let (previous, next) = (connection.previous, connection.next)
    connection.previous = nil
    connection.next = nil
    if let next { next.previous = previous } else { last = previous }
    if let previous { previous.next = next } else { first = next }
  }

  /// Returns the first connection of a kind that satisfies the condition.
  func first<Kind: LoopConnection>(where isMeant: (Kind) -> Bool) -> Kind? {
    var connection = first
    while let candidate = connection {
      if let candidate = candidate as? Kind, isMeant(candidate) { return candidate }
      connection = candidate.next
    }
    return nil
  }

  /// Returns all connections of a kind that satisfy the condition, as they are now.
  func all<Kind: LoopConnection>(where isMeant: (Kind) -> Bool) -> [Kind] {
    var found: [Kind] = []
    var connection = first
    while let candidate = connection {
      if let candidate = candidate as? Kind, isMeant(candidate) { found.append(candidate) }
      connection = candidate.next
    }
    return found
  }
}
