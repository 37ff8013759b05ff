/// Connections in the order in which they came to be what the list is of, idle for instance. Holds them; one is in one list
/// at most. Only on its loop.
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

  /// The first of a kind that is meant.
  func first<Kind: LoopConnection>(where isMeant: (Kind) -> Bool) -> Kind? {
    var connection = first
    while let candidate = connection {
      if let candidate = candidate as? Kind, isMeant(candidate) { return candidate }
      connection = candidate.next
    }
    return nil
  }

  /// All of a kind that are meant, as they are now.
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
