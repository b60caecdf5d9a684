export default function Shop() {
  return (
    <form method="post" action="/buy">
      <h1>Shop</h1>
      <input name="email" type="email" aria-label="Your e-mail" required /> <button>Buy for 100</button>
    </form>
  );
}
