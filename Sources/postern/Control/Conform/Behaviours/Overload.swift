extension Behaviour {
  static let overload = returning(
    "overload", covers: ["S9", "X8"], code: 1013,
    sentence:
      "Closed with 1013, as by a gateway with too much to do, the client comes back each time, after waits that differ by chance."
  )
}
