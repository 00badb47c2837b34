import { render } from 'preact'

render(<main class="main"><h1>Fairlead</h1></main>, document.getElementById('app')!)
